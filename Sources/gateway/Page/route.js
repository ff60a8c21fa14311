// Which screen an address names. Pure.

/** @typedef {{screen: "list"} | {screen: "device", id: string}} Route */

export const LIST = { screen: "list" };

/**
 * The screen of `#/devices/ID`; the list for anything else.
 *
 * @param {string} hash The part of the address from `#` on.
 * @returns {Route}
 */
export function routeOf(hash) {
    const match = /^#\/devices\/([A-Za-z0-9]{1,64})$/.exec(hash);
    return match ? { screen: "device", id: match[1] } : LIST;
}

/** The part of the address from `#` on that names a screen. */
export function hashOf(route) {
    return route.screen === "device" ? `#/devices/${route.id}` : "#/";
}
