import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { linkOf, treatmentOf } from "../../Sources/gateway/Page/site/allowed.js";
import { COASTS } from "../../Sources/gateway/Page/site/coasts.js";
import { direction, distance, nearest, placeText, point, points } from "../../Sources/gateway/Page/site/geography.js";
import { CHARACTERS_STORED, OPENED_STORED, PAGE_SIZE } from "../../Sources/gateway/Page/site/sites.js";
import { storedSitesFrom, openedSiteFrom, siteFrom, sitePageFrom } from "../../Sources/gateway/Page/site/sitewire.js";
import { mapView, siteView, sitesView } from "../../Sources/gateway/Page/site/sitesview.js";
import { Page, routeOf, SESSION, storage, storeIn } from "./samples.mjs";

const HTML = "http://www.w3.org/1999/xhtml";
const LIST = { screen: "sites" };
const id = (number) => `Site${String(number).padStart(6, "0")}`;
const SITE = { screen: "site", id: id(1) };

function site(number, other = {}) {
    return {
        id: id(number), name: `Mill Lane ${number}`, devices: 2, latitude: null, longitude: null, address: [],
        city: "", country: "", timeZone: "", description: "", ...other,
    };
}

const listed = (page, number, sites, total) => page.sites.pageCame({ page: number, sites, total });
const opened = (page, shown, devices = []) => page.sites.fetched({ site: shown, devices });
const view = (page) => sitesView(page.model, page.now);
const detail = (page) => siteView(page.model, page.now);

test("a page of sites is requested once when it opens, and shows the total", () => {
    const { page, asked } = Page.at(LIST);
    assert.deepEqual(asked, [{ do: "sites", page: 1 }]);
    assert.deepEqual(page.sites.list(), []);
    assert.equal(view(page).nothing, "Loading…");
    assert.deepEqual(listed(page, 1, [site(1), site(2)], 1_234), [{ do: "storeService", service: "sites" }]);
    assert.deepEqual(view(page).rows.map((one) => one.name), ["Mill Lane 1", "Mill Lane 2"]);
    assert.equal(view(page).summary, "1,234 sites");
    assert.equal(view(page).page, `Page 1 of ${Math.ceil(1_234 / PAGE_SIZE)}`);
    assert.equal(view(page).before, null);
    assert.equal(view(page).after, "#/sites/page/2");
    assert.deepEqual(page.event.routed({ ...LIST, page: 2 }), [{ do: "sites", page: 2 }]);
    assert.equal(view(page).before, "#/sites");
});

test("the last page has no next one, and a page after it leads back", () => {
    const { page } = Page.at({ ...LIST, page: 2 });
    listed(page, 2, [site(51)], 51);
    assert.equal(view(page).after, null);
    page.event.routed({ ...LIST, page: 9 });
    listed(page, 9, [], 51);
    assert.equal(view(page).nothing, "This page doesn’t exist.");
    assert.equal(view(page).before, "#/sites/page/2");
});

test("without sites a sentence describes how to add one", () => {
    const { page } = Page.at(LIST);
    listed(page, 1, [], 0);
    assert.match(view(page).nothing, /No sites yet.*fleet site add NAME/);
    assert.equal(view(page).page, "");
});

test("a site shows its values and devices, and a sentence for each that is missing", () => {
    const { page, asked } = Page.at(SITE);
    assert.deepEqual(asked, [{ do: "site", id: id(1) }]);
    assert.equal(detail(page).text, "Loading…");
    const whole = site(1, {
        address: ["Gate 3"], city: "Oslo", country: "NO", timeZone: "Europe/Oslo", description: "<b>x</b>",
        latitude: 59.9139, longitude: 10.7522, devices: 501,
    });
    opened(page, whole, [{ id: "1", name: "old name" }, { id: "2", name: "Attic" }]);
    const shown = detail(page);
    assert.deepEqual(Object.fromEntries(shown.facts), {
        Address: "Gate 3", City: "Oslo", Country: "Norway", "Time zone": "Europe/Oslo", Devices: "501",
        ID: id(1),
    });
    assert.equal(shown.description, "<b>x</b>");
    assert.equal(shown.noDescription, "");
    assert.deepEqual(routeOf(shown.writeHref), { screen: "logbook", site: shown.name });
    assert.deepEqual(shown.devices, [
        { id: "1", name: "Bedroom 1", line: "Off" }, { id: "2", name: "Attic", line: "" },
    ]);
    assert.equal(shown.devicesText, "The first 2 of 501 devices");
    assert.equal(shown.map.text, "In or near Oslo");
    opened(page, site(1));
    assert.match(detail(page).map.text, /No location set/);
    assert.ok(!detail(page).map.isKnown);
    assert.match(detail(page).noDescription, /No description/);
    assert.match(detail(page).devicesText, /No devices at this site/);
});

test("a lost answer, an unreadable one, another status and a missing site differ", () => {
    const texts = new Set();
    for (const what of ["lost", "unreadable", "failed", "missing"]) {
        const one = Page.at(SITE).page;
        one.sites.fetchFailed(id(1), what, "the words");
        assert.ok(!detail(one).isKnown);
        texts.add(detail(one).text);
        const list = Page.at(LIST).page;
        list.sites.listFailed(1, what, "the words");
        texts.add(view(list).error);
        assert.equal(view(list).nothing, "");
    }
    assert.ok(!texts.has("") && !texts.has("Loading…"));
    assert.equal(texts.size, 7, [...texts].join("\n"));
    assert.ok([...texts].some((text) => text.includes("can’t be read")));
});

test("a site that cannot be fetched again stays, with the reason", () => {
    const { page } = Page.at(SITE);
    opened(page, site(1));
    page.sites.read();
    page.sites.fetchFailed(id(1), "refused", "busy");
    assert.ok(detail(page).isKnown);
    assert.equal(detail(page).error, "Couldn’t load this site: busy.");
    page.sites.read();
    page.sites.fetchFailed(id(1), "missing", "");
    assert.ok(!detail(page).isKnown);
});

test("listed and opened sites are shown without a connection, also after a reload", () => {
    const { page } = Page.at(LIST);
    listed(page, 1, [site(1), site(2)], 2);
    page.event.routed(SITE);
    opened(page, site(1, { description: "<i>y</i>" }), [{ id: "1", name: "x" }]);
    const store = storeIn(storage());
    store.storeService("sites", SESSION.email, page.model.services.sites.dataToStore());
    const again = new Page();
    again.start({ stored: null, services: store.services(), route: LIST });
    again.now += 60_000;
    assert.deepEqual(view(again).rows.map((one) => one.id), [id(1), id(2)]);
    assert.match(view(again).connection.detail, /No connection.*min ago/);
    again.event.routed(SITE);
    assert.equal(detail(again).description, "<i>y</i>");
    again.event.routed({ screen: "site", id: id(2) });
    assert.equal(detail(again).name, "Mill Lane 2");
    assert.match(detail(again).text, /hasn’t been loaded on this device/);
    store.clear(false);
    assert.equal(store.services().sites, null);
});

test("a first start without a connection shows one sentence on the sites' screen", () => {
    const { page } = Page.at(LIST);
    page.event.onlineChanged(false);
    assert.match(view(page).nothing, /haven’t been loaded on this device/);
    assert.equal(view(page).connection.detail, "");
});

test("another account's stored sites are ignored, and a logout deletes them", () => {
    const { page } = Page.at(LIST);
    listed(page, 1, [site(1)], 1);
    page.event.logoutAsked();
    assert.ok(!page.model.services.sites.hasList);
    const again = new Page();
    const stored = { email: "eve@example.com", at: 1, total: 1, pages: [[1, [site(1)]]], opened: [] };
    const own = { email: SESSION.email, at: 1, devices: [] };
    again.start({ stored: own, services: { sites: stored }, route: LIST });
    assert.ok(!again.model.services.sites.hasList);
});

test("the stored sites are limited to their room", () => {
    const { page } = Page.at(LIST);
    const description = "x".repeat(8_000);
    for (let number = 1; number <= 200; number += 1) opened(page, site(number, { description }));
    const { opened: stored } = page.model.services.sites.dataToStore();
    assert.ok(stored.length <= OPENED_STORED);
    assert.ok(JSON.stringify(stored).length <= CHARACTERS_STORED);
    assert.equal(stored.at(-1).site.id, id(200));
});

test("an invalid site is ignored, and half a pair of coordinates counts as none", () => {
    for (const value of [null, 1, "x", {}, { id: "short" }, { id: "<b>aaaaaaa" }, []]) {
        assert.equal(siteFrom(value), null);
        assert.equal(openedSiteFrom({ site: value }), null);
        assert.equal(storedSitesFrom(value), null);
    }
    for (const value of [null, {}, { sites: {}, total: 1 }, { sites: [], total: -1 }, { sites: [] }]) {
        assert.equal(sitePageFrom(value), null);
    }
    assert.deepEqual(sitePageFrom({ sites: [site(1), null, { id: 3 }], total: 3 }).sites, [site(1)]);
    for (const place of [
        { latitude: 91, longitude: 0 }, { latitude: 0, longitude: -181 }, { latitude: "1", longitude: 1 },
        { latitude: 1, longitude: null }, { latitude: NaN, longitude: 1 },
    ]) assert.equal(siteFrom(site(1, place)).latitude, null);
    assert.deepEqual(siteFrom({ id: id(1), address: [1, "", "Gate", {}], description: 7 }), {
        ...site(1), name: "", devices: 0, address: ["Gate"],
    });
});

test("a place is at its position on the map, and its links lead there", () => {
    assert.deepEqual(point(90, -180), { x: 0, y: 0 });
    assert.deepEqual(point(-90, 180), { x: 720, y: 360 });
    assert.deepEqual(point(0, 0), { x: 360, y: 180 });
    assert.ok(points().length > 400);
    for (const { x, y } of points()) assert.ok(x >= 0 && x <= 720 && y >= 0 && y <= 360);
    const shown = mapView(site(1, { latitude: -33.8, longitude: 151.2 }));
    assert.equal(shown.appHref, "geo:-33.8,151.2");
    assert.equal(shown.mapHref, "https://www.openstreetmap.org/?mlat=-33.8&mlon=151.2#map=14/-33.8/151.2");
    assert.equal(shown.coordinates, "33.8000° S, 151.2000° E");
});

/** Whether a place is on land by the coasts: whether a line from it to the west crosses them an odd number of
    times. */
function isLand(latitude, longitude) {
    const [x, y] = [(longitude + 180) * 10, (90 - latitude) * 10];
    let crossings = 0;
    for (const ring of COASTS.split("M").slice(1)) {
        const [first, ...numbers] = ring.match(/-?\d+/g).map(Number);
        const corners = [[first, numbers[0]]];
        for (let at = 1; at + 1 < numbers.length; at += 2) {
            const [lastX, lastY] = corners.at(-1);
            corners.push([lastX + numbers[at], lastY + numbers[at + 1]]);
        }
        corners.forEach(([toX, toY], index) => {
            const [fromX, fromY] = corners.at(index - 1);
            if (fromY > y === toY > y) return;
            if (fromX + (y - fromY) / (toY - fromY) * (toX - fromX) < x) crossings += 1;
        });
    }
    return crossings % 2 === 1;
}

test("the coasts are those of the Earth", () => {
    assert.match(COASTS, /^(M\d+ \d+l[\d -]+z ?)+$/);
    const land = {
        London: [51.9, -0.8], Nairobi: [-1.3, 36.8], "São Paulo": [-22.9, -47.1], Denver: [39.7, -105],
        "Alice Springs": [-23.7, 133.9], Novosibirsk: [55, 82.9], Delhi: [28.6, 77.2], "the south pole's": [-85, 20],
        Fiji: [-17.8, 178], Iceland: [64.9, -18.6], Madagascar: [-19, 47],
    };
    for (const [name, at] of Object.entries(land)) assert.ok(isLand(...at), name);
    const sea = { Atlantic: [30, -40], Pacific: [0, -140], Indian: [-20, 80], Mediterranean: [34, 18],
        Caspian: [42, 51], Hudson: [59, -86], Tasman: [-38, 160], Arctic: [88, 0] };
    for (const [name, at] of Object.entries(sea)) assert.ok(!isLand(...at), name);
});

test("the nearest known place has its distance and direction on the globe", () => {
    const [oslo, stockholm] = [[59.9139, 10.7522], [59.3293, 18.0686]];
    assert.ok(Math.abs(distance(oslo, stockholm) - 417) < 3);
    assert.ok(Math.abs(distance([0, 179.5], [0, -179.5]) - 111.2) < 0.2);
    assert.equal(direction([0, 0], [10, 0]), "north");
    assert.equal(direction([0, 0], [0, -10]), "west");
    assert.equal(direction([0, 179], [0, -179]), "east");
    assert.equal(nearest(59.9, 10.8).name, "Oslo");
    assert.match(placeText(nearest(59.9139, 12.0)), /^About \d+ km east of Oslo$/);
    assert.equal(nearest(-89.99, 12).name !== "", true);
});

test("a few HTML elements of a description are copied, and scripts and external content are removed", () => {
    for (const tag of ["p", "b", "strong", "em", "ul", "li", "table", "td", "a", "code", "blockquote"]) {
        assert.deepEqual(treatmentOf(tag, HTML), { kind: "copy", tag });
    }
    assert.deepEqual(treatmentOf("h1", HTML), { kind: "copy", tag: "h3" });
    assert.deepEqual(treatmentOf("font", HTML), { kind: "unwrap" });
    assert.deepEqual(treatmentOf("constructor", HTML), { kind: "unwrap" });
    for (const tag of ["script", "style", "iframe", "img", "object", "input", "textarea", "template", "base"]) {
        assert.deepEqual(treatmentOf(tag, HTML), { kind: "drop" }, tag);
    }
    for (const namespace of ["http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML", null]) {
        assert.deepEqual(treatmentOf("a", namespace), { kind: "drop" });
    }
});

test("links lead to the web or to mail only", () => {
    for (const link of ["https://example.com/a?b#c", "http://example.com/", "mailto:ann@example.com"]) {
        assert.equal(linkOf(link), link);
    }
    assert.equal(linkOf("  https://example.com  "), "https://example.com/");
    const refused = readFileSync(new URL("browser/links.txt", import.meta.url), "utf8").split("\n")
        .filter((line) => line !== "");
    assert.ok(refused.length >= 30);
    for (const link of [...refused.map((line) => JSON.parse(line)), null, undefined, 7]) {
        assert.equal(linkOf(link), null, JSON.stringify(link));
    }
});

test("an error of the gateway for a list is not shown as a refusal", () => {
    const { page } = Page.at(LIST);
    page.sites.listFailed(1, "failed", "The disk is full.");
    assert.equal(view(page).error, "Couldn’t load sites: the disk is full.");
    page.sites.list();
    page.sites.listFailed(1, "lost", "No answer from the gateway.");
    assert.equal(view(page).error, "Couldn’t load sites: no answer from the gateway.");
});
