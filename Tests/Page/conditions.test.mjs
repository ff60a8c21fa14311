import assert from "node:assert/strict";
import { test } from "node:test";
import { listView } from "../../Sources/gateway/Page/list/listview.js";
import { LONGEST_CONDITION, parseCondition } from "../../Sources/gateway/Page/fleet/condition.js";
import { DeviceTable } from "../../Sources/gateway/Page/fleet/table.js";
import { Page, position, row } from "./samples.mjs";

/** Devices for each property that a condition can have. */
const DEVICES = [
    row("aaaa", { name: "Bedroom 1", on: true, targetTemperature: 24 }),
    row("bbbb", { name: "Bedroom 10", presence: "offline", temperature: 26.5, feelsLike: 28 }),
    row("cccc", { name: "Salon", site: "Mill Lane 4", model: "pure", presence: "stale", humidity: 61.5 }),
    row("dddd", { name: "Café", site: "Haifa", node: "node-2", unit: "F", targetTemperature: 77 }),
    row("eeee", { name: "Power on", site: "", presence: "unknown", temperature: null, feelsLike: null }),
];

/** The first letters of the IDs of the devices for which a condition holds. */
function found(text) {
    const holds = parseCondition(text);
    return DEVICES.filter(holds).map((device) => device.id[0]).join("");
}

function errorOf(text) {
    try {
        parseCondition(text);
    } catch (error) {
        return error.message;
    }
    return "";
}

test("a selector is all, an ID, a part of a name, a pattern or a site", () => {
    assert.equal(found("all"), "abcde");
    assert.equal(found("bedroom"), "ab");
    assert.equal(found(" Bedroom  10 "), "b");
    assert.equal(found("CCC"), "c");
    assert.equal(found("bedroom ?"), "a");
    assert.equal(found("*o*o*"), "abe");
    assert.equal(found("cafe\u0301"), "d", "a composed and a decomposed character are equal");
    assert.equal(found("caf?"), "d");
    assert.equal(found("site:haifa"), "d");
    assert.equal(found("site:Mill Lane 4"), "c");
    assert.equal(found('site:"mill lane 4"'), "c");
    assert.equal(found("site:*l*"), "c");
    assert.equal(found("site:"), "");
});

test("a single word is a state, and one in quotation marks a part of a name", () => {
    assert.equal(found("on"), "a");
    assert.equal(found("Off"), "bcde");
    assert.equal(found('"on"'), "ce");
    assert.equal(found("offline"), "b");
    assert.equal(found("stale or unknown"), "ce");
    assert.equal(found("not"), "", "a text");
});

test("a term is about power, presence, device, site, node or model", () => {
    assert.equal(found("power on"), "a");
    assert.equal(found("presence online"), "ad");
    assert.equal(found('device "bedroom 1"'), "a");
    assert.equal(found("device aaaa"), "a");
    assert.equal(found("device AAAA"), "");
    assert.equal(found('device "Bedroom 1" off'), "");
    assert.equal(found("site home"), "ab");
    assert.equal(found("node node-2"), "d");
    assert.equal(found("model pure"), "c");
    assert.equal(found("outcome applied"), "", "no request ends while a list is shown");
});

test("readings are compared in degrees Celsius and percent, and never without a measurement", () => {
    assert.equal(found("temperature > 26.4"), "b");
    assert.equal(found("temperature<=26.5"), "abcd");
    assert.equal(found("not temperature > 0"), "e");
    assert.equal(found("feelslike >= 28"), "b");
    assert.equal(found("humidity = 61.5"), "c");
    assert.equal(found("target != 22"), "ad");
    assert.equal(found("target = 25"), "d");
    assert.equal(found("temperature > -5.5 and temperature < 21.6"), "acd");
});

test("not binds most tightly, then and, then or", () => {
    assert.equal(found("on or offline and site:Home"), "ab");
    assert.equal(found("(on or offline) and not temperature > 26"), "a");
    assert.equal(found("not on and not (stale or unknown)"), "bd");
    assert.equal(found("bedroom* and not bedroom 10"), "a");
});

test("an error has the column and the allowed input", () => {
    assert.equal(errorOf("on and"), "column 7: unexpected end of the condition; allowed: device, site, node, model, "
        + "power, presence, outcome, not, temperature, feelsLike, humidity, target, “(”, or a text");
    assert.equal(errorOf("on )"), "column 4: unexpected “)”; allowed: and, or, or the end");
    assert.equal(errorOf("(on off"), "column 8: unexpected end of the condition; allowed: and, or, or “)”");
    assert.equal(errorOf('Café "x'), "column 6: unterminated quotation mark");
    assert.match(errorOf("!on"), /^column 1: unexpected “!”; write != to compare/);
    assert.match(errorOf("warmth > 3"), /^column 8: unexpected “>”; allowed: a comparison of temperature/);
    assert.match(errorOf("temperature > warm"), /^column 15: unexpected “warm”; allowed: a number/);
    assert.match(errorOf("temperature > 1.25"), /^column 15: /);
    assert.match(errorOf("power stale"), /^column 7: unexpected “stale”; allowed: on, off$/);
    assert.match(errorOf("site and"), /^$/, "a site named and");
    assert.match(errorOf("site ("), /allowed: a site's name, in quotation marks if it has spaces$/);
    assert.match(errorOf(`${"(".repeat(32)}on`), /^column 33: brackets and nots nested more than 32 deep$/);
    assert.equal(errorOf(`${"(".repeat(31)}on${")".repeat(31)}`), "");
    assert.equal(errorOf("x".repeat(LONGEST_CONDITION)), "");
    assert.equal(errorOf("x".repeat(LONGEST_CONDITION + 1)), "column 4097: longer than 4096 characters");
});

test("a pattern with many asterisks is matched in bounded time", () => {
    const holds = parseCondition(`${"*a".repeat(100)}b`);
    const start = performance.now();
    assert.equal(holds(row("aaaa", { name: "a".repeat(512) })), false);
    assert.ok(performance.now() - start < 1_000);
});

test("the rows follow the condition, and other changes do not rebuild them", () => {
    const table = new DeviceTable();
    table.replace(DEVICES);
    table.show("site:Home and off");
    assert.deepEqual(table.shown, ["bbbb"]);
    table.merge([row("aaaa", { name: "Bedroom 1", on: false })]);
    assert.deepEqual(table.shown, ["aaaa", "bbbb"]);
    const before = table.shown;
    table.merge([row("aaaa", { name: "Bedroom 1", on: false, temperature: 30 })]);
    assert.equal(table.shown, before);
    table.show(" ");
    assert.equal(table.shown.length, 5);
});

test("a malformed condition is a part of a name, and reported if no name has it", () => {
    const page = Page.live([row("1", { name: "Attic (old)" }), row("2", { presence: "offline" })]);
    const view = (text) => {
        page.handle((model) => model.filterTyped(text));
        const { ids, filterProblem, nothing } = listView(page.model, page.now);
        return [ids.join(""), filterProblem, nothing];
    };
    assert.deepEqual(view("attic (old)"), ["1", "", ""]);
    assert.deepEqual(view("attic (new)"), [
        "", "This isn’t a condition: column 7: unexpected “(”; allowed: and, or, or the end.", "No devices match.",
    ]);
    assert.deepEqual(view("offline"), ["2", "", ""]);
    page.change(position(7, 11), [row("2")]);
    assert.deepEqual(view("offline"), ["", "", "No devices match."]);
    assert.deepEqual(view(""), ["12", "", ""]);
});
