import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceView } from "../../Sources/gateway/Page/device/deviceview.js";
import { listView, rowView } from "../../Sources/gateway/Page/list/listview.js";
import { outcome, Page, position, request, row } from "./samples.mjs";

const DEVICE = { screen: "device", id: "1" };
const HISTORY = {
    measurements: [{ at: 100, temperature: 20, humidity: 40 }],
    changes: [{ at: 90, on: false, mode: "cool", targetTemperature: 22, cause: "handRemote" }],
    outcomes: [outcome(request(5), "applied", { device: "1", at: 80, message: "off in 0.2 ms", actor: "a@b" })],
};

/** The screen of device 1, with its history. */
function opened() {
    const { page } = Page.at(DEVICE);
    page.past.came("1", structuredClone(HISTORY));
    return page;
}

test("a device's history is fetched when its screen opens, and again when the stream returns", () => {
    const { page, asked } = Page.at(DEVICE);
    assert.deepEqual(asked, [{ do: "history", id: "1" }]);
    page.event.streamBroke({ isOver: false });
    assert.deepEqual(page.event.streamOpened({ isFresh: false }), [{ do: "history", id: "1" }]);
});

test("a late history of a device that is no longer shown is ignored", () => {
    const page = Page.live([row("1"), row("2")]);
    page.event.routed({ screen: "device", id: "2" });
    page.past.came("1", HISTORY);
    assert.equal(page.model.fleet.past.state, "loading");
});

test("ended requests and other changes of a device are one history, the newest first", () => {
    const { entries } = deviceView(opened().model, 0);
    assert.deepEqual(entries.map(({ at, text, tone }) => [at, text, tone]), [
        [90, "off by hand remote", "plain"], [80, "off in 0.2 ms · a@b", "good"],
    ]);
});

test("the history continues with new measurements, changes and outcomes", () => {
    const page = opened();
    const past = () => page.model.fleet.past;
    page.change(position(7, 11), [row("1", { on: true, temperature: 19, asOf: page.now })]);
    assert.deepEqual(past().measurements.at(-1), { at: page.now, temperature: 19, humidity: 45 });
    assert.equal(past().changes.at(-1).on, true);
    assert.equal(past().changes.at(-1).at, page.now);
    const counts = [past().measurements.length, past().changes.length];
    page.change(position(7, 12), [row("1", { on: true, temperature: 19, asOf: page.now })]);
    assert.deepEqual([past().measurements.length, past().changes.length], counts);
    page.finish(outcome(request(6), "conflict", { device: "1" }));
    page.finish(outcome(request(6), "conflict", { device: "1" }));
    page.finish(outcome(request(7), "applied", { device: "2" }));
    const { entries } = deviceView(page.model, page.now);
    assert.deepEqual(entries.map(({ key }) => key), [request(6), "90 handRemote", request(5)]);
    assert.equal(entries[0].at, page.now);
});

test("a device without changes has its state since the first measurement", () => {
    const page = Page.live([row("1", { on: true })]);
    page.event.routed(DEVICE);
    const history = { measurements: HISTORY.measurements, changes: [], outcomes: [] };
    page.past.came("1", history);
    assert.deepEqual(page.model.fleet.past.changes.map(({ at, on }) => [at, on]), [[100, true]]);
});

test("a history that cannot be fetched shows the reason", () => {
    const { page } = Page.at(DEVICE);
    page.past.failed("1", "no history");
    const { past } = deviceView(page.model, page.now);
    assert.deepEqual([past.state, past.error], ["failed", "no history"]);
});

test("an unknown device is reported as such, and while the list loads as loading", () => {
    const page = Page.live([]);
    page.event.routed(DEVICE);
    assert.equal(deviceView(page.model, page.now).text, "This account has no such device.");
    page.model.fleet.hasList = false;
    assert.equal(deviceView(page.model, page.now).text, "Loading…");
});

test("a row has the device's state, or the reason why it is offline", () => {
    const offline = { presence: "offline" };
    const lines = {
        "Off · Home": {},
        "Cool 22 °C · Home": { on: true },
        "Fan · Home": { on: true, mode: "fan" },
        "Heat 72 °F": { on: true, mode: "heat", targetTemperature: 72, unit: "F", site: "" },
        "Offline (no connection) · 3 min · Home": { ...offline, presenceReason: "disconnected", since: 820_000 },
        "Offline (node lost) · 0 s · Home": { ...offline, presenceReason: "nodeLost", since: 2e9 },
        "Sensor · Home": { model: "elements" },
        "Not responding · Home": { presence: "stale", since: 0 },
        "Not seen yet · Home": { presence: "unknown", since: 0 },
    };
    for (const [line, other] of Object.entries(lines)) {
        const page = Page.live([row("1", other)]);
        assert.equal(page.rowView("1").line, line);
    }
});

test("a row looks on, off or offline", () => {
    const tone = (other) => rowView(Page.live([row("1", other)]).model, "1", 0).tone;
    const tones = [{}, { on: true }, { on: true, presence: "offline" }].map(tone);
    assert.deepEqual(tones, ["off", "on", "offline"]);
});

test("a room's temperature is in the user's unit, and a dash without a measurement", () => {
    const temperature = (other) => rowView(Page.live([row("1", other)]).model, "1", 0).temperature;
    assert.equal(temperature({}), "21.5°");
    assert.equal(temperature({ unit: "F" }), "70.7°");
    assert.equal(temperature({ temperature: null }), "–");
});

test("the list counts all devices, or those found", () => {
    const devices = Array.from({ length: 1_234 }, (_, number) => row(`d${number}`, {
        name: `Bedroom ${number}`, on: number < 2, presence: number === 0 ? "offline" : "online",
    }));
    const page = Page.live(devices);
    const view = () => listView(page.model, page.now);
    assert.equal(view().summary, "1,234 devices · 1,233 online · 2 on");
    page.fleet.filterTyped("bedroom 12");
    assert.equal(view().summary, "45 of 1,234 devices");
    page.fleet.filterTyped("cellar");
    page.fleet.filterAnswered({ text: "cellar", ids: null }, { shown: [], problem: "" });
    assert.equal(view().nothing, "No devices match.");
});

test("a toggle whose result the gateway does not know is not reported as a lost answer", () => {
    const { page } = Page.at(DEVICE);
    page.toggle("1", request(1));
    page.finish(outcome(request(1), "unknown"));
    assert.equal(deviceView(page.model, page.now).cancel.text, "No answer yet. Asking again…");
});
