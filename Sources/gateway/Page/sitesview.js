// What there is to be seen of the sites, in words and flags. Pure: of the model and the time.

import { nearest, placeWords, point } from "./geography.js";
import { hashOf } from "./route.js";
import { connectionView } from "./viewmodel.js";
import * as words from "./words.js";

const NEVER_READ = "The sites have never been read here, and there is no connection.";
const NEVER_OPENED = "This site was never opened here, and there is no connection.";
const NONE = "There is no site yet: an owner of the account makes one with “fleet site add NAME”.";
/** A map of the user's own, opened when it is clicked and not before. */
const MAP = "https://www.openstreetmap.org/?mlat=";

/** The screen with a page of the sites. */
export function sitesView(model, now) {
    const { sites, connection } = model;
    const isBare = !sites.hasList && !connection.isLive;
    const { page, pages } = sites;
    return {
        connection: { ...connectionView(model, now), detail: isBare ? "" : detail(model, sites.asOf, now) },
        rows: (sites.rows ?? []).map(rowView),
        summary: sites.hasList ? words.count(sites.total, "site") : "",
        nothing: nothing(model, isBare),
        error: isBare ? "" : failure(sites.listing, sites.listWords, "The list of sites"),
        isRefreshing: sites.listing === "loading",
        canRefresh: connection.isLive,
        page: pages > 1 || page > 1 ? `Page ${words.grouped(page)} of ${words.grouped(pages)}` : "",
        before: page > 1 ? hashOf({ screen: "sites", page: Math.min(page - 1, pages) }) : null,
        after: page < pages ? hashOf({ screen: "sites", page: page + 1 }) : null,
    };
}

/** The screen of one site. */
export function siteView(model, now) {
    const { sites, connection } = model;
    const { id } = model.route;
    const opened = sites.site(id);
    const seen = {
        id,
        name: words.visible((opened?.site ?? sites.listed(id))?.name ?? "", `Site ${id}`),
        connection: {
            ...connectionView(model, now),
            detail: opened === undefined && !connection.isLive ? "" : detail(model, opened?.at ?? null, now),
        },
        error: opened === undefined ? "" : failure(sites.fetching, sites.fetchWords, "The site"),
        canRefresh: connection.isLive,
        isRefreshing: sites.fetching === "loading",
    };
    if (opened === undefined) return { ...seen, isThere: false, text: whyNotThere(model) };
    const { site, devices } = opened;
    return {
        ...seen,
        isThere: true,
        writeHref: connection.maySwitch ? hashOf({ screen: "logbook", site: site.name }) : null,
        facts: facts(site),
        description: site.description,
        noDescription: site.description.trim() === "" ? "Nobody has described this site." : "",
        map: mapView(site),
        devices: devices.map((one) => deviceView(model, one)),
        devicesText: devicesText(site, devices),
    };
}

/** The place of a site on the map; without coordinates, a sentence that says so. */
export function mapView({ latitude, longitude, name }) {
    if (latitude === null || longitude === null) {
        return { isThere: false, text: "Nobody has said where this site is: it has no coordinates." };
    }
    const at = `${latitude},${longitude}`;
    const close = nearest(latitude, longitude);
    return {
        isThere: true,
        text: placeWords(close),
        label: `${words.visible(name, "The site")}: ${degrees(latitude, "N", "S")}, `
            + degrees(longitude, "E", "W"),
        coordinates: `${degrees(latitude, "N", "S")}, ${degrees(longitude, "E", "W")}`,
        point: point(latitude, longitude),
        near: close.name,
        appHref: `geo:${at}`,
        mapHref: `${MAP}${latitude}&mlon=${longitude}#map=14/${latitude}/${longitude}`,
    };
}

function rowView(site) {
    return {
        id: site.id,
        name: words.visible(site.name, `Site ${site.id}`),
        line: where(site) || (site.latitude === null ? "Nobody has said where it is" : "On the map"),
        devices: words.count(site.devices, "device"),
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
        ["Devices", words.grouped(site.devices)],
        ["Id", site.id],
    ].filter(([, text]) => text !== "");
}

/** A device of the site, as the list of devices has it where that is here. */
function deviceView({ fleet }, { id, name }) {
    const row = fleet.devices.row(id);
    return { id, name: words.label(row ?? { id, name }), line: row === undefined ? "" : state(row) };
}

function state(row) {
    if (row.presence !== "online") return words.presence(row);
    return row.on ? "On" : "Off";
}

function devicesText(site, devices) {
    if (devices.length === 0) return "No device stands here.";
    if (site.devices <= devices.length) return "";
    return `The first ${words.grouped(devices.length)} of ${words.count(site.devices, "device")}`;
}

function detail({ connection }, at, now) {
    if (connection.isLive) return connection.hasController ? "" : "The gateway has lost its controller.";
    return `There is no connection.${at === null ? "" : ` This was so ${words.ago(now - at)}.`}`;
}

/** What became of fetching something; empty where nothing went wrong. */
function failure(fetching, text, what) {
    switch (fetching) {
    case "lost": return `${what} could not be had: ${text}`;
    case "unreadable": return `${what} could not be read: the gateway's answer is not what it should be.`;
    case "refused": return `${what} was refused: ${text}`;
    case "missing": return "There is no such site, or it is gone.";
    default: return "";
    }
}

function nothing({ sites }, isBare) {
    if (isBare) return NEVER_READ;
    if (sites.rows !== undefined) {
        if (sites.rows.length > 0) return "";
        return sites.total === 0 ? NONE : "There are not that many sites.";
    }
    return sites.listing === "loading" || sites.listing === "idle" ? "Loading…" : "";
}

function whyNotThere({ sites, connection }) {
    const why = failure(sites.fetching, sites.fetchWords, "The site");
    if (why !== "" && sites.fetching !== "lost") return why;
    if (!connection.isLive) return NEVER_OPENED;
    return why || "Loading…";
}

function degrees(value, positive, negative) {
    return `${Math.abs(value).toFixed(4)}° ${value < 0 ? negative : positive}`;
}
