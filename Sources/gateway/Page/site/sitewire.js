// Decodes and validates the gateway's JSON of sites. Pure.

import { BODY_AT_MOST, isID, isNumber, isObject, listOf, number, text } from "../common/wire.js";

/** The maximum numbers of sites in a list, and of devices of a site. */
const SITES_AT_MOST = 100;
const SITE_DEVICES_AT_MOST = 500;
/** The maximum number of lines in an address. */
const LINES_AT_MOST = 4;

/**
 * @typedef {object} Site
 * @property {string} id
 * @property {string} name Untrusted text, like all texts of a site.
 * @property {number} devices The number of its devices.
 * @property {number | null} latitude Degrees north; null if unknown.
 * @property {number | null} longitude Degrees east; null if unknown.
 * @property {string[]} address Lines.
 * @property {string} city Empty if unknown, like the following fields.
 * @property {string} country Two letters.
 * @property {string} timeZone
 * @property {string} description Untrusted HTML; empty in lists.
 */

/**
 * A site.
 *
 * @returns {Site | null} Null without a valid ID.
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
        address: listOf(value.address, LINES_AT_MOST, (line) => text(line) || null),
        city: text(value.city),
        country: text(value.country),
        timeZone: text(value.timeZone),
        description: text(value.description, BODY_AT_MOST),
    };
}

/** A page of sites, and the number of all; null for invalid data. */
export function sitePageFrom(value) {
    if (!isObject(value) || !Array.isArray(value.sites) || !isNumber(value.total, 0)) return null;
    return { sites: sitesFrom(value.sites), total: value.total };
}

/** A site with its devices; null for invalid data. */
export function openedSiteFrom(value) {
    const site = isObject(value) ? siteFrom(value.site) : null;
    return site === null ? null : { site, devices: siteDevicesFrom(value.devices) };
}

/** The stored sites; null for invalid data. */
export function storedSitesFrom(value) {
    if (!isObject(value) || !Number.isFinite(value.at)) return null;
    return {
        at: value.at,
        total: Math.max(0, number(value.total)),
        pages: listOf(value.pages, SITES_AT_MOST, (one) =>
            Array.isArray(one) && isNumber(one[0]) ? [one[0], sitesFrom(one[1])] : null),
        opened: listOf(value.opened, SITES_AT_MOST, (one) => {
            const opened = openedSiteFrom(one);
            return opened === null ? null : { ...opened, at: number(one.at) };
        }),
    };
}

function sitesFrom(value) { return listOf(value, SITES_AT_MOST, siteFrom); }

function siteDevicesFrom(value) {
    return listOf(value, SITE_DEVICES_AT_MOST, (one) =>
        isObject(one) && isID(one.id) ? { id: one.id, name: text(one.name) } : null);
}

function isSiteID(value) { return typeof value === "string" && /^[A-Za-z0-9]{10}$/.test(value); }

function within(value, most) { return Number.isFinite(value) && Math.abs(value) <= most ? value : null; }
