import assert from "node:assert/strict";
import { test } from "node:test";
import { RETRIED_FOR } from "../../Sources/gateway/Page/common/retries.js";
import { AHEAD_FOR } from "../../Sources/gateway/Page/fleet/replies.js";
import { deviceView } from "../../Sources/gateway/Page/device/deviceview.js";
import { outcomeFrom } from "../../Sources/gateway/Page/fleet/fleetwire.js";
import { outcome, Page, position, request, row, SESSION, state, storage, storeIn } from "./samples.mjs";

const power = (page) => page.rowView("1").power;
const shown = (page) => [power(page).isOn, power(page).isPending];
const version = (page) => page.model.fleet.devices.row("1").version;
const applied = (number, reported) => outcome(request(number), "applied", { message: "Turned on", state: state(reported) });
const CANCEL = { do: "cancel", requestId: request(1) };
const cancelled = (page, answer) => page.fleet.cancelAnswered({ requestId: request(1), message: "Cancelled.", ...answer });

test("the row has the state of the reply at once, and the next press names its version", () => {
    const page = Page.live([row("1", { version: 41 })]);
    page.press("1", request(1));
    page.finish(applied(1, { on: true, version: 42 }));
    assert.deepEqual(shown(page), [true, false]);
    const [toggle] = page.press("1", request(2));
    assert.equal(toggle.version, 42);
});

test("rows older than the reply do not replace its state, newer rows do", () => {
    const page = Page.live([row("1")]);
    page.press("1", request(1));
    page.finish(applied(1, { on: true, version: 2 }));
    page.change(position(7, 11), [row("1", { temperature: 30 })]);
    assert.deepEqual(shown(page), [true, false]);
    assert.equal(page.model.fleet.devices.row("1").temperature, 30);
    page.list([row("1", { temperature: 31 })], position(7, 12));
    assert.deepEqual([shown(page), version(page)], [[true, false], 2]);
    page.change(position(7, 13), [row("1", { on: false, version: 3 })]);
    assert.deepEqual([shown(page), version(page)], [[false, false], 3]);
    page.change(position(7, 14), [row("1", { on: true, version: 2 })]);
    assert.equal(version(page), 2, "from the reply's version on, rows of the stream apply");
});

test("a reply that is older than the row changes nothing", () => {
    const page = Page.live([row("1", { on: false, version: 9 })]);
    page.finish(applied(7, { on: true, version: 8 }));
    assert.deepEqual([shown(page), version(page)], [[false, false], 9]);
});

test("a reply's state holds against the stream for at most half a minute", () => {
    const page = Page.live([row("1")]);
    page.press("1", request(1));
    page.finish(applied(1, { on: true, version: 2 }));
    page.wait(AHEAD_FOR - 500);
    page.change(position(7, 11), [row("1")]);
    assert.equal(version(page), 2);
    page.wait(500);
    page.change(position(7, 12), [row("1")]);
    assert.equal(version(page), 1);
});

test("a reply from a new incarnation replaces the row, and rows of the old one are ignored", () => {
    const page = Page.live([row("1", { version: 40 })]);
    page.press("1", request(1));
    const other = { incarnation: "00000000000000b2", on: true, version: 1 };
    page.finish(outcome(request(1), "conflict", { state: state(other) }));
    assert.deepEqual([shown(page), version(page)], [[true, false], 1]);
    page.change(position(7, 11), [row("1", { version: 41 })]);
    assert.deepEqual([shown(page), version(page)], [[true, false], 1]);
    page.change(position(7, 12), [row("1", { incarnation: "00000000000000c3", version: 5 })]);
    assert.deepEqual([shown(page), version(page)], [[false, false], 5]);
    page.finish(outcome(request(9), "applied", { state: state(other) }));
    assert.equal(version(page), 5, "for another client's request it is unknown which incarnation is newer");
});

test("a press on a pending switch cancels it, and a third changes nothing", () => {
    const page = Page.live();
    page.press("1", request(1));
    assert.deepEqual(page.press("1", request(2)), [CANCEL]);
    assert.equal(page.rowView("1").line, "Cancelling…");
    assert.deepEqual([power(page).canPress, power(page).why], [false, "Cancelling…"]);
    assert.deepEqual(page.press("1", request(3)), []);
    cancelled(page, { kind: "cancelled" });
    assert.deepEqual(shown(page), [false, false]);
    assert.deepEqual(page.notices, [["plain", "Cancelled."]]);
    assert.equal(page.press("1", request(4))[0].requestId, request(4));
});

test("a cancel that came too late is reported once, whichever answer comes first, and not as a conflict", () => {
    const late = [["plain", "Too late to cancel: it’s on"]];
    const ended = applied(1, { on: true, version: 2 });
    const first = Page.live();
    first.press("1", request(1));
    first.press("1", request(2));
    first.finish(ended);
    assert.deepEqual([shown(first), first.notices], [[true, false], late]);
    cancelled(first, { kind: "too-late", message: "Too late", outcome: ended });
    assert.deepEqual(first.notices, late);
    const second = Page.live();
    second.press("1", request(1));
    second.press("1", request(2));
    cancelled(second, { kind: "too-late", message: "Too late", outcome: ended });
    assert.deepEqual([shown(second), second.notices], [[true, false], late]);
    second.finish(ended);
    assert.deepEqual(second.notices, late);
});

test("without a connection a pending switch cannot be cancelled", () => {
    const page = Page.live();
    page.press("1", request(1));
    page.event.streamBroke({ isOver: false });
    assert.equal(power(page).canPress, false);
    assert.deepEqual(page.press("1", request(2)), []);
});

test("a hidden page still requests the outcome of a toggle", () => {
    const page = Page.live();
    page.press("1", request(1));
    page.event.shownChanged(false);
    page.fleet.answerLost(request(1));
    assert.deepEqual(page.wait(500), [{ do: "outcome", requestId: request(1) }]);
});

/** The browser's stored toggles after these effects. */
function stored(effects, store = storeIn(storage())) {
    for (const { do: kind, command, requestId } of effects) {
        if (kind === "storeCommand") store.storeCommand(SESSION.email, command);
        if (kind === "dropCommand") store.dropCommand(requestId);
    }
    return store;
}

/** A page that is reloaded with the browser's stored toggles. */
function reloaded(store, devices = [row("1")]) {
    const page = new Page();
    page.start({
        stored: { email: SESSION.email, at: page.now, devices: [row("1")] }, commands: store.commands(),
    });
    const effects = page.enter();
    page.list(devices, position(7, 10));
    return { page, effects: effects.filter((one) => ["outcome", "cancel", "toggle"].includes(one.do)) };
}

const pressed = () => {
    const page = Page.live();
    return { page, effects: page.fleet.pressed("1", request(1)) };
};

test("a reloaded page shows its pending toggle, and requests the outcome", () => {
    const { page, effects } = reloaded(stored(pressed().effects));
    assert.deepEqual(effects, [{ do: "outcome", requestId: request(1) }]);
    assert.deepEqual(shown(page), [true, true]);
    const ended = page.finish(applied(1, { on: true, version: 2 }));
    assert.deepEqual(shown(page), [true, false]);
    assert.deepEqual(page.notices, [["good", "Turned on"]]);
    assert.deepEqual(ended, [{ do: "dropCommand", requestId: request(1) }]);
});

test("a pending toggle that was never sent is sent after a reload", () => {
    const { page } = reloaded(stored(pressed().effects));
    const [toggle] = page.fleet.outcomeUnseen(request(1));
    assert.equal(toggle.do, "toggle");
    assert.deepEqual([toggle.requestId, toggle.version], [request(1), 1]);
});

test("after a reload a cancel is pending until the request has ended", () => {
    const { page: before, effects } = pressed();
    const store = stored(before.fleet.pressed("1", request(2)), stored(effects));
    const { page, effects: asked } = reloaded(store);
    assert.deepEqual(asked, [CANCEL]);
    assert.equal(page.rowView("1").line, "Cancelling…");
    cancelled(page, { kind: "lost" });
    assert.deepEqual(page.wait(2_000), [CANCEL]);
    cancelled(page, { kind: "pending" });
    assert.deepEqual(page.wait(2_000), [{ do: "outcome", requestId: request(1) }]);
    page.finish(outcome(request(1), "cancelled"));
    assert.deepEqual(shown(page), [false, false]);
});

test("ended toggles, old toggles and those of another user are not restored", () => {
    const { page, effects } = pressed();
    const store = stored(effects);
    stored(page.finish(applied(1, { on: true, version: 2 })), store);
    assert.deepEqual(store.commands(), []);
    const old = stored(pressed().effects);
    const later = new Page();
    later.now += RETRIED_FOR;
    const initial = { stored: { email: SESSION.email, at: 1, devices: [row("1")] }, commands: old.commands() };
    assert.ok(later.start(initial).some((one) => one.do === "dropCommand"));
    assert.equal(later.model.fleet.commands.size, 0);
    const other = new Page();
    other.start({ ...initial, stored: { ...initial.stored, email: "other@sensibus.local" } });
    assert.equal(other.model.fleet.commands.size, 0);
});

test("clearing everything removes stored toggles, and unreadable ones are ignored", () => {
    const own = storage();
    const store = stored(pressed().effects, storeIn(own));
    own.setItem("sensibus.command.x", "{");
    own.setItem("sensibus.command.y", JSON.stringify({ version: 1, email: "a@b", command: { device: "1" } }));
    assert.deepEqual(store.commands().map(({ command }) => command.requestId), [request(1)]);
    store.clear(false);
    assert.equal(own.length, 0);
});

test("a reply's state is read if it has a version and an incarnation", () => {
    const read = (value) => outcomeFrom({ requestId: request(1), kind: "applied", state: value }).state;
    assert.deepEqual(read(state({ on: true, version: 7 })), state({ on: true, version: 7 }));
    for (const value of [undefined, null, 7, {}, { version: 7 }, { ...state(), version: -1 }]) {
        assert.equal(read(value), null);
    }
});

test("the device's screen offers to cancel, and shows when the cancel waits for the device", () => {
    const page = Page.live();
    page.event.routed({ screen: "device", id: "1" });
    page.press("1", request(1));
    page.press("1", request(2));
    const cancel = () => deviceView(page.model, page.now).cancel;
    assert.deepEqual(cancel(), { text: "Cancelling…", isPossible: false });
    cancelled(page, { kind: "pending" });
    assert.deepEqual(cancel(), { text: "Cancelling when the device answers…", isPossible: false });
});
