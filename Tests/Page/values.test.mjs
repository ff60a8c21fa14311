import assert from "node:assert/strict";
import { test } from "node:test";
import { DeviceTable } from "../../Sources/gateway/Page/fleet/table.js";
import * as wire from "../../Sources/gateway/Page/fleet/fleetwire.js";
import { sessionFrom } from "../../Sources/gateway/Page/login/loginwire.js";
import { ago, label, span } from "../../Sources/gateway/Page/common/texts.js";
import { row, storage, storeIn } from "./samples.mjs";

test("rows are in the natural order of their names", () => {
    const table = new DeviceTable();
    table.replace([["a", "Bedroom 10"], ["b", "bedroom 2"], ["c", "Attic"], ["d", "Bedroom 2"], ["e", "  "]]
        .map(([id, name]) => row(id, { name })));
    assert.deepEqual(table.shown, ["c", "b", "d", "a", "e"]);
});

test("changed rows do not change the order, and changed names update it", () => {
    const table = new DeviceTable();
    table.replace([row("a", { name: "A" }), row("b", { name: "B" })]);
    const before = table.shown;
    table.merge([row("a", { name: "A", on: true })]);
    assert.equal(table.shown, before);
    assert.equal(table.row("a").on, true);
    table.merge([row("a", { name: "C" }), row("d", { name: "AA" })]);
    assert.deepEqual(table.shown, ["d", "b", "a"]);
    table.remove(["b", "none"]);
    assert.deepEqual(table.shown, ["d", "a"]);
});

test("invalid values of the gateway are ignored", () => {
    for (const value of [null, 7, "x", [], {}, { id: 7 }, { id: "" }, { id: "../x" }, { id: "a".repeat(65) }]) {
        assert.equal(wire.deviceFrom(value), null);
    }
    const odd = wire.deviceFrom({
        id: "a1", name: { toString: "x" }, on: "yes", temperature: "21", targetTemperature: NaN, unit: "K",
        presence: "maybe", version: Infinity, extra: 1, site: "s".repeat(9_999),
    });
    const { name, on, temperature, unit, presence, version } = odd;
    assert.deepEqual([name, on, temperature, unit, presence, version], ["", false, null, "C", "unknown", 0]);
    assert.equal(odd.site.length, 512);
    assert.equal("extra" in odd, false);
    assert.deepEqual(wire.devicesFrom({ length: 3 }), []);
    const many = Array(wire.DEVICES_AT_MOST + 5).fill({ id: "a" });
    assert.equal(wire.devicesFrom(many).length, wire.DEVICES_AT_MOST);
    assert.deepEqual(wire.idsFrom(["a", 1, "b/c", null]), ["a"]);
    assert.equal(sessionFrom({ email: "a@b" }), null);
    assert.equal(wire.outcomeFrom({ requestId: "no" }), null);
    for (const requestId of ["0190A6E87C5B7D2E9A413F5B8C2D1E07", "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07"]) {
        assert.equal(wire.outcomeFrom({ requestId }).requestId, "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07");
    }
    assert.deepEqual(wire.historyFrom(null), { measurements: [], changes: [], outcomes: [] });
});

test("stream positions are compared exactly, also beyond the range of a number", () => {
    const at = wire.positionFrom;
    assert.ok(wire.isAfter(at("4611686018427387903-2"), at("4611686018427387902-9")));
    assert.ok(wire.isAfter(at("1-4611686018427387903"), at("1-4611686018427387902")));
    assert.ok(!wire.isAfter(at("1-5"), at("1-5")));
    assert.ok(!wire.isAfter(at("1-4"), at("1-5")));
    for (const text of ["", "1", "-1", "1-", "1-2-3", "x-1", 7, null, `${"9".repeat(21)}-1`]) {
        assert.equal(at(text), null);
    }
    assert.ok(wire.isAfter(null, at("1-5")) && wire.isAfter(at("1-5"), null));
});

test("an invisible name is replaced by the ID, and others are unchanged", () => {
    const shown = (name) => label(row("a1", { name }));
    for (const name of ["", "  ", "\u200b\u202e", "\u2800", "\u00ad\ufe0f"]) assert.equal(shown(name), "a1");
    for (const name of ["<img src=x>", "x\u202ey", "🏝️", "غرفة"]) assert.equal(shown(name), name);
});

test("an age has one unit", () => {
    const texts = [-5, 4_999, 5_000, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000 * 3].map(ago);
    assert.deepEqual(texts, [
        "just now", "just now", "5 s ago", "59 s ago", "1 min ago", "59 min ago", "1 h ago", "3 d ago",
    ]);
    assert.equal(span(-1), "0 s");
});

test("a list is stored with its user and its age, until it is deleted", () => {
    const place = storage();
    const store = storeIn(place);
    assert.equal(store.list(), null);
    store.storeList("a@b", 77, [row("1")]);
    assert.deepEqual(storeIn(place).list(), { email: "a@b", at: 77, devices: [row("1")] });
    store.clear(true);
    assert.equal(store.list(), null);
    assert.equal(store.owesLogout, true);
    store.clear(false);
    assert.equal(place.length, 0);
});

test("a list that does not fit removes the previous one, and unreadable ones are ignored", () => {
    const place = storage(2_000);
    const store = storeIn(place);
    store.storeList("a@b", 77, [row("1")]);
    store.storeList("a@b", 78, Array.from({ length: 100 }, (_, n) => row(String(n))));
    assert.equal(store.list(), null);
    for (const text of ["{", "7", "null", "[]", '{"version":2}', '{"version":1,"email":7,"at":1}']) {
        place.setItem("sensibus.list", text);
        assert.equal(store.list(), null, text);
    }
    assert.equal(storeIn(null).list(), null);
});
