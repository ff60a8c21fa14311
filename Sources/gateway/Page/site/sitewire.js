// What the gateway says of sites, read into values of known shapes. Pure; as with everything that it says.

import { BODY_AT_MOST, isID, isNumber, isObject, list, number, text } from "../app/wire.js";

/** Sites on a page, and devices of one, that a page takes at most. */
const SITES_AT_MOST = 100;
const SITE_DEVICES_AT_MOST = 500;
/** Lines in an address. */
const LINES_AT_MOST = 4;

/**
 * @typedef {object} Site
 * @property {string} id
 * @property {string} name Text of strangers, as all texts of it.
 * @property {number} devices How many stand there.
 * @property {number | null} latitude Degrees north; null where nobody said where it is.
 * @property {number | null} longitude Degrees east; null as well then.
 * @property {string[]} address Lines.
 * @property {string} city Empty where nobody said; so are the following.
 * @property {string} country Two letters.
 * @property {string} timeZone
 * @property {string} description HTML as somebody wrote it, and empty in lists.
 */

/**
 * A site.
 *
 * @returns {Site | null} Null for what has no id.
 */
export function siteFrom(value) {
    if (!isObject(value) || !isSiteID(value.id)) return null;
    const [latitude, longitude] = [within(value.latitude, 90), within(value.longitude, 180)];
    const isSomewhere = latitude !== null && longitude !== null;
    return {
        id: value.id,
        name: text(value.name),
        devices: Math.max(0, number(value.devices)),
        latitude: isSomewhere ? latitude : null,
        longitude: isSomewhere ? longitude : null,
        address: list(value.address, LINES_AT_MOST).map((line) => text(line)).filter((line) => line !== ""),
        city: text(value.city),
        country: text(value.country),
        timeZone: text(value.timeZone),
        description: text(value.description, BODY_AT_MOST),
    };
}

/** A page of sites, and how many there are altogether; null for what is none. */
export function sitePageFrom(value) {
    if (!isObject(value) || !Array.isArray(value.sites) || !isNumber(value.total, 0)) return null;
    return { sites: sitesFrom(value.sites), total: value.total };
}

/** A site with its devices; null for what is none. */
export function openedSiteFrom(value) {
    const site = isObject(value) ? siteFrom(value.site) : null;
    return site === null ? null : { site, devices: siteDevicesFrom(value.devices) };
}

/** Sites as they were kept; null for what is none. */
export function keptSitesFrom(value) {
    if (!isObject(value) || !Number.isFinite(value.at)) return null;
    const pages = list(value.pages, SITES_AT_MOST).filter((one) => Array.isArray(one) && isNumber(one[0]));
    return {
        at: value.at,
        total: Math.max(0, number(value.total)),
        pages: pages.map(([page, sites]) => [page, sitesFrom(sites)]),
        opened: list(value.opened, SITES_AT_MOST).map((one) => {
            const opened = openedSiteFrom(one);
            return opened === null ? null : { ...opened, at: number(one.at) };
        }).filter((one) => one !== null),
    };
}

function sitesFrom(value) {
    return list(value, SITES_AT_MOST).map(siteFrom).filter((site) => site !== null);
}

function siteDevicesFrom(value) {
    return list(value, SITE_DEVICES_AT_MOST).filter((one) => isObject(one) && isID(one.id))
        .map(({ id, name }) => ({ id, name: text(name) }));
}

function isSiteID(value) { return typeof value === "string" && /^[A-Za-z0-9]{10}$/.test(value); }

function within(value, most) { return Number.isFinite(value) && Math.abs(value) <= most ? value : null; }
