// The routes: which screen an address names. Pure.

/**
 * @typedef {{screen: "list"} | {screen: "device", id: string} | {screen: "post", number: number}
 *     | {screen: "logbook", device?: string, site?: string} | {screen: "sites", page?: number}
 *     | {screen: "site", id: string} | {screen: "roster"}
 *     | {screen: "signup" | "forgot" | "reset"}} Route The logbook's device, or its site's name, is what to
 *     write about; the last are for log-in; pages are from 1.
 */

export const LIST = { screen: "list" };
export const LOGBOOK = { screen: "logbook" };
export const SITES = { screen: "sites" };
export const ROSTER = { screen: "roster" };
/** The screens for users who are not logged in. */
const WAYS_IN = ["signup", "forgot", "reset"];
/** The screens from which each screen is opened. */
export const PARENTS = {
    device: ["list"], logbook: ["list"], post: ["logbook"], sites: ["list"], site: ["sites"],
    roster: ["list"],
    signup: ["login"], forgot: ["login", "signup"], reset: ["forgot"],
};

/**
 * The screen of `#/devices/ID`, `#/posts`, `#/posts/NUMBER`, `#/posts/about/ID`,
 * `#/posts/about/site/NAME`, `#/sites`, `#/sites/page/NUMBER`, `#/sites/ID`, `#/roster`, `#/signup`,
 * `#/forgot` or `#/reset`; the list for any other.
 *
 * @param {string} hash The part of the address from `#` on.
 * @returns {Route}
 */
export function routeOf(hash) {
    const device = /^#\/devices\/([A-Za-z0-9]{1,64})$/.exec(hash);
    if (device) return { screen: "device", id: device[1] };
    const post = /^#\/posts(?:\/([1-9]\d{0,14}))?$/.exec(hash);
    if (post) return post[1] === undefined ? LOGBOOK : { screen: "post", number: Number(post[1]) };
    const feature = /^#\/([a-z]+)$/.exec(hash)?.[1];
    if (WAYS_IN.includes(feature)) return { screen: feature };
    if (hash === "#/roster") return ROSTER;
    const about = /^#\/posts\/about\/([A-Za-z0-9]{1,64})$/.exec(hash);
    if (about) return { screen: "logbook", device: about[1] };
    const site = decoded(/^#\/posts\/about\/site\/([^/]{1,600})$/.exec(hash)?.[1]);
    if (site !== undefined) return { screen: "logbook", site };
    const sites = /^#\/sites(?:\/page\/([1-9]\d{0,5}))?$/.exec(hash);
    if (sites) return sites[1] === undefined ? SITES : { screen: "sites", page: Number(sites[1]) };
    const shown = /^#\/sites\/([A-Za-z0-9]{10})$/.exec(hash);
    return shown ? { screen: "site", id: shown[1] } : LIST;
}

/** Decodes a part of an address; undefined if it is missing or malformed. */
function decoded(text) {
    try {
        return text && decodeURIComponent(text);
    } catch {
        return undefined;
    }
}

/** The part of the address from `#` on that names a screen. */
export function hashOf(route) {
    switch (route.screen) {
    case "device": return `#/devices/${route.id}`;
    case "logbook":
        if (route.site !== undefined) return `#/posts/about/site/${encodeURIComponent(route.site)}`;
        return route.device === undefined ? "#/posts" : `#/posts/about/${route.device}`;
    case "post": return `#/posts/${route.number}`;
    case "sites": return (route.page ?? 1) === 1 ? "#/sites" : `#/sites/page/${route.page}`;
    case "site": return `#/sites/${route.id}`;
    case "roster": case "signup": case "forgot": case "reset": return `#/${route.screen}`;
    default: return "#/";
    }
}
