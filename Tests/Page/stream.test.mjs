import assert from "node:assert/strict";
import { test } from "node:test";
import { SILENCE_AT_MOST } from "../../Sources/gateway/Page/common/connection.js";
import { STORED_AFTER } from "../../Sources/gateway/Page/fleet/fleet.js";
import { popupView } from "../../Sources/gateway/Page/shell/popup.js";
import { kinds, modelWith, Page, position, row, SESSION } from "./samples.mjs";

const isOn = (page, id) => page.model.fleet.devices.row(id).on;

test("a new stream fetches list and roster once, and a resumed one fetches nothing", () => {
    const page = new Page();
    page.start();
    assert.deepEqual(kinds(page.event.sessionCame(SESSION)), ["open"]);
    assert.deepEqual(kinds(page.event.streamOpened({ isFresh: true })), [
        "list", "roster", "queues",
    ]);
    page.list([row("1")], position(7, 10));
    page.event.streamBroke({ isOver: false });
    assert.deepEqual(kinds(page.event.streamOpened({ isFresh: false })), []);
});

test("stream events during a list request apply if they are later than the list", () => {
    const page = Page.live([row("1"), row("2"), row("3")]);
    page.fleet.refreshAsked();
    page.change(position(7, 19), [row("1", { on: true, version: 2 })]);
    page.change(position(7, 21), [row("2", { on: true, version: 2 })], ["3"]);
    page.list([row("1", { on: false, version: 3 }), row("2"), row("3")], position(7, 20));
    assert.equal(isOn(page, "1"), false);
    assert.equal(isOn(page, "2"), true);
    assert.equal(page.model.fleet.devices.row("3"), undefined);
});

test("a later epoch is later, regardless of its sequence number", () => {
    const page = Page.live([row("1")]);
    page.fleet.refreshAsked();
    page.change(position(8, 1), [row("1", { on: true, version: 2 })]);
    page.list([row("1")], position(7, 900));
    assert.equal(isOn(page, "1"), true);
});

test("more events than can wait cause another request for the list", () => {
    const page = Page.live([row("1")]);
    page.fleet.refreshAsked();
    for (let number = 11; number < 2_100; number += 1) page.change(position(7, number), [row("1")]);
    assert.deepEqual(kinds(page.list([row("1")], position(7, 10))), ["store", "list"]);
});

test("a gap in the stream requests the list, and again if one in flight is older", () => {
    const page = Page.live();
    const resync = (at) => page.fleet.list(at);
    const listed = (at) => page.list([row("1")], at).map((effect) => effect.do);
    assert.deepEqual(resync(position(7, 12)), [{ do: "list" }]);
    assert.deepEqual(resync(position(7, 15)), []);
    assert.deepEqual(resync(position(7, 14)), []);
    assert.deepEqual(listed(position(7, 14)), ["store", "list"]);
    assert.deepEqual(resync(position(7, 15)), []);
    assert.deepEqual(listed(position(7, 15)), ["store"]);
});

test("a broken stream shows offline and the list with its age, and disables switches", () => {
    const page = Page.live();
    page.wait(600_000);
    page.event.streamBroke({ isOver: false });
    page.wait(12_000);
    const { text, detail } = page.connection;
    assert.equal(text, "Offline");
    assert.equal(detail, "The gateway isn’t responding. Showing the last known state (12 s ago).");
    assert.equal(page.model.fleet.devices.size, 2);
    const { power } = page.rowView("1");
    assert.deepEqual([power.canPress, power.why], [false, "Can’t switch: the gateway isn’t responding"]);
    page.event.streamOpened({ isFresh: false });
    assert.equal(page.connection.text, "Live");
    assert.equal(page.rowView("1").power.canPress, true);
});

test("a browser without a connection is offline even if the stream is still open", () => {
    const page = Page.live();
    page.event.onlineChanged(false);
    const { text, detail } = page.connection;
    assert.deepEqual([text, detail], ["Offline", "You’re offline. Showing the last known state (just now)."]);
    assert.equal(page.rowView("1").power.canPress, false);
    page.event.onlineChanged(true);
    assert.equal(page.connection.text, "Live");
});

test("a stream that cannot resume is opened again, after a query of the session", () => {
    const page = Page.live();
    assert.deepEqual(kinds(page.event.streamBroke({ isOver: true })), ["close"]);
    assert.deepEqual(page.wait(3_000), [{ do: "session" }]);
    assert.deepEqual(kinds(page.event.sessionCame(SESSION)), ["open"]);
});

test("a stream without a heartbeat for 25 s is broken, also if it never had one", () => {
    const page = Page.live();
    page.wait(SILENCE_AT_MOST * 2);
    assert.equal(page.connection.text, "Live");
    page.hasBeats = false;
    page.wait(SILENCE_AT_MOST);
    assert.equal(page.connection.text, "Live");
    assert.deepEqual(kinds(page.wait(500)), ["close"]);
    assert.equal(page.connection.text, "Offline");
    assert.deepEqual(page.wait(3_000), [{ do: "session" }]);
    const again = page.event.sessionCame(SESSION);
    assert.deepEqual(again, [{ do: "open", stealsLock: true }], "the leader may have stopped");
    page.event.streamOpened({ isFresh: false });
    page.wait(SILENCE_AT_MOST);
    assert.equal(page.connection.text, "Live");
    assert.deepEqual(kinds(page.wait(500)), ["close"]);
});

test("a gateway that freezes before it opens the stream is noticed", () => {
    const page = new Page();
    page.start();
    page.event.sessionCame(SESSION);
    page.wait(SILENCE_AT_MOST);
    assert.equal(page.connection.text, "Connecting…");
    assert.deepEqual(kinds(page.wait(500)), ["close"]);
    assert.equal(page.connection.text, "Offline");
});

test("a page that is loading shows connecting, without an error", () => {
    const page = Page.stored([row("1")], { age: 20_000 });
    const seen = () => {
        const { tone, text, detail } = page.connection;
        return [tone, text, detail];
    };
    const connecting = ["busy", "Connecting…", "Updated 20 s ago."];
    assert.deepEqual(seen(), connecting);
    assert.equal(page.rowView("1").power.why, "Can’t switch: connecting");
    page.event.sessionCame(SESSION);
    assert.deepEqual(seen(), connecting);
    page.event.streamOpened({ isFresh: true });
    assert.deepEqual(seen(), ["good", "Live", ""]);
});

test("a page that loads without a controller shows that, not that it is offline", () => {
    const page = Page.stored([row("1")], { age: 20_000 });
    page.event.sessionLost(true);
    const { text, detail } = page.connection;
    assert.equal(text, "No controller");
    assert.equal(detail, "The controller isn’t responding. Showing the last known state (20 s ago).");
    assert.equal(page.rowView("1").power.why, "Can’t switch: the controller isn’t responding");
    page.event.sessionCame(SESSION);
    assert.equal(page.connection.text, "Connecting…");
});

test("a hidden page closes its stream, and opens it when it is shown again", () => {
    const page = Page.live();
    page.wait(4_000);
    const show = (isShown) => page.event.shownChanged(isShown);
    assert.deepEqual(show(false), [{ do: "close" }]);
    assert.deepEqual(show(false), []);
    page.wait(60_000);
    assert.deepEqual(show(true), [{ do: "open" }, { do: "session" }]);
    assert.equal(page.connection.text, "Connecting…");
    assert.equal(page.connection.detail, "Updated 1 min ago.");
    page.wait(500);
    assert.equal(popupView(page.model, page.now).text, "", "nothing pops up for a moment's connecting");
    page.event.streamOpened({ isFresh: false });
    page.wait(500);
    assert.equal(page.connection.text, "Live");
    assert.equal(popupView(page.model, page.now).text, "");
});

test("a page opened in the background has no stream until it is shown", () => {
    const page = new Page();
    page.model = modelWith({ isShown: false });
    page.start();
    const entered = page.event.sessionCame(SESSION);
    assert.deepEqual(entered, []);
    const shown = page.event.shownChanged(true);
    assert.deepEqual(kinds(shown), ["open", "session"]);
});

test("a page without a stream after it is shown again reports that", () => {
    const page = Page.live();
    page.event.shownChanged(false);
    page.event.shownChanged(true);
    page.wait(2_000);
    assert.equal(popupView(page.model, page.now).text, "Connecting…");
});

test("a gateway without a controller is reported, and switches are disabled", () => {
    const page = Page.live();
    page.event.controllerChanged(false);
    const { text, detail } = page.connection;
    assert.deepEqual([text, detail], ["No controller", "The controller isn’t responding."]);
    assert.equal(page.rowView("1").power.canPress, false);
});

test("an incomplete or failed list is requested again", () => {
    const page = Page.live();
    const settling = { position: position(7, 11), isSettling: true, devices: [row("1")] };
    page.fleet.listed(settling);
    assert.deepEqual(page.wait(2_500), []);
    assert.deepEqual(page.wait(500), [{ do: "list" }]);
    page.fleet.listFailed("busy");
    assert.deepEqual(page.model.notices.all, []);
    assert.deepEqual(page.wait(3_000), [{ do: "list" }]);
});

test("a failed list that the user requested is reported", () => {
    const page = Page.live();
    page.fleet.refreshAsked();
    assert.deepEqual(page.fleet.refreshAsked(), []);
    page.fleet.listFailed("busy; try again in 3 s");
    const notices = page.model.notices.all.map(({ tone, text }) => [tone, text]);
    assert.deepEqual(notices, [["bad", "busy; try again in 3 s"]]);
});

test("a changed list is stored at most every half minute", () => {
    const page = Page.live();
    assert.deepEqual(page.wait(STORED_AFTER * 2), []);
    page.change(position(7, 11), [row("1", { on: true })]);
    assert.deepEqual(page.wait(500), [{ do: "store", email: SESSION.email, at: page.now }]);
    page.change(position(7, 12), [row("1")]);
    assert.deepEqual(page.wait(STORED_AFTER - 500), []);
    assert.deepEqual(kinds(page.wait(500)), ["store"]);
});
