// The view of the sites, as texts and flags. Pure: a function of the model and the time.

import { FLEET } from "../common/command.js";
import { datedConnectionView } from "../common/connectionview.js";
import * as texts from "../common/texts.js";
import { ABOUT_SITE } from "../logbook/address.js";
import { SITES, SITES_PAGE } from "./address.js";
import { nearest, placeText, point } from "./geography.js";

const NEVER_READ = "You’re offline, and the sites haven’t been loaded on this device yet.";
const NEVER_OPENED = "You’re offline, and this site hasn’t been loaded on this device yet.";
const NONE = `No sites yet. Owners can add them: ${FLEET} site add NAME.`;
/** The map service that a link opens; nothing is fetched before the user clicks. */
const MAP = "https://www.openstreetmap.org/?mlat=";

/** The screen with a page of the sites. */
export function sitesView(model, now) {
    const { connection, services: { sites } } = model;
    const isBare = !sites.hasList && !connection.isLive;
    const { page, pages } = sites;
    return {
        connection: datedConnectionView(model, isBare ? undefined : sites.asOf, now),
        rows: (sites.rows ?? []).map(rowView),
        summary: sites.hasList ? texts.count(sites.total, "site") : "",
        nothing: nothing(sites, isBare),
        error: isBare ? "" : failure(sites.listing, sites.listError, "sites"),
        isRefreshing: sites.listing === "loading",
        canRefresh: connection.isLive,
        page: pages > 1 || page > 1 ? `Page ${texts.grouped(page)} of ${texts.grouped(pages)}` : "",
        before: page > 1 ? hashOfPage(Math.min(page - 1, pages)) : null,
        after: page < pages ? hashOfPage(page + 1) : null,
    };
}

function hashOfPage(page) { return page === 1 ? SITES.hashOf() : SITES_PAGE.hashOf({ page }); }

export function siteView(model, now) {
    const { connection, services: { sites } } = model;
    const { id } = model.route;
    const opened = sites.site(id);
    const seen = {
        id,
        name: texts.visible((opened?.site ?? sites.listed(id))?.name ?? "", `Site ${id}`),
        connection: datedConnectionView(model, opened?.at, now),
        error: opened === undefined ? "" : failure(sites.fetching, sites.fetchError, "this site"),
        canRefresh: connection.isLive,
        isRefreshing: sites.fetching === "loading",
    };
    if (opened === undefined) return { ...seen, isKnown: false, text: whyUnknown(model) };
    const { site, devices } = opened;
    return {
        ...seen,
        isKnown: true,
        writeHref: connection.maySwitch ? ABOUT_SITE.hashOf({ site: site.name }) : null,
        facts: facts(site),
        description: site.description,
        noDescription: site.description.trim() === "" ? "No description." : "",
        map: mapView(site),
        devices: devices.map((one) => deviceView(model, one)),
        devicesText: devicesText(site, devices),
    };
}

/** The place of a site on the map; without coordinates, a sentence. */
export function mapView({ latitude, longitude, name }) {
    if (latitude === null || longitude === null) {
        return { isKnown: false, text: "No location set." };
    }
    const at = `${latitude},${longitude}`;
    const close = nearest(latitude, longitude);
    return {
        isKnown: true,
        text: placeText(close),
        label: `${texts.visible(name, "The site")}: ${degrees(latitude, "N", "S")}, `
            + degrees(longitude, "E", "W"),
        coordinates: `${degrees(latitude, "N", "S")}, ${degrees(longitude, "E", "W")}`,
        point: point(latitude, longitude),
        appHref: `geo:${at}`,
        mapHref: `${MAP}${latitude}&mlon=${longitude}#map=14/${latitude}/${longitude}`,
    };
}

function rowView(site) {
    return {
        id: site.id,
        name: texts.visible(site.name, `Site ${site.id}`),
        line: where(site) || (site.latitude === null ? "No location" : "On the map"),
        devices: texts.count(site.devices, "device"),
    };
}

function where({ address, city, country }) {
    return [...address, city, countryName(country)].filter((part) => part !== "").join(", ");
}

function countryName(code) {
    if (!/^[A-Z]{2}$/.test(code)) return "";
    return new Intl.DisplayNames(["en"], { type: "region" }).of(code) ?? code;
}

function facts(site) {
    return [
        ["Address", site.address.join(", ")],
        ["City", site.city],
        ["Country", countryName(site.country)],
        ["Time zone", site.timeZone],
        ["Devices", texts.grouped(site.devices)],
        ["ID", site.id],
    ].filter(([, text]) => text !== "");
}

/** A device of the site, with the data of the device list if loaded. */
function deviceView({ fleet }, { id, name }) {
    const row = fleet.devices.row(id);
    return { id, name: texts.label(row ?? { id, name }), line: row === undefined ? "" : state(row) };
}

function state(row) {
    if (row.presence !== "online") return texts.presence(row);
    return row.on ? "On" : "Off";
}

function devicesText(site, devices) {
    if (devices.length === 0) return "No devices at this site.";
    if (site.devices <= devices.length) return "";
    return `The first ${texts.grouped(devices.length)} of ${texts.count(site.devices, "device")}`;
}

/** The error of a fetch; empty without an error. */
function failure(fetching, text, what) {
    switch (fetching) {
    case "lost": return `Couldn’t load ${what}: no answer from the gateway.`;
    case "unreadable": return `Couldn’t load ${what}: the gateway’s answer can’t be read.`;
    case "failed": case "refused": return `Couldn’t load ${what}: ${texts.clause(text)}`;
    case "missing": return "This site doesn’t exist any more.";
    default: return "";
    }
}

function nothing(sites, isBare) {
    if (isBare) return NEVER_READ;
    if (sites.rows !== undefined) {
        if (sites.rows.length > 0) return "";
        return sites.total === 0 ? NONE : "This page doesn’t exist.";
    }
    return sites.listing === "loading" || sites.listing === "idle" ? "Loading…" : "";
}

function whyUnknown({ connection, services: { sites } }) {
    const why = failure(sites.fetching, sites.fetchError, "this site");
    if (why !== "" && sites.fetching !== "lost") return why;
    if (!connection.isLive) return NEVER_OPENED;
    return why || "Loading…";
}

function degrees(value, positive, negative) {
    return `${Math.abs(value).toFixed(4)}° ${value < 0 ? negative : positive}`;
}
