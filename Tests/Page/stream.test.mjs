import assert from "node:assert/strict";
import { test } from "node:test";
import { SILENCE_AT_MOST } from "../../Sources/gateway/Page/common/connection.js";
import { STORED_AFTER } from "../../Sources/gateway/Page/fleet/fleet.js";
import { connectionView } from "../../Sources/gateway/Page/common/connectionview.js";
import { rowView } from "../../Sources/gateway/Page/list/listview.js";
import { popupView } from "../../Sources/gateway/Page/shell/popup.js";
import { modelWith, Page, position, row, SESSION } from "./samples.mjs";

const isOn = (page, id) => page.model.fleet.devices.row(id).on;

test("a new stream fetches list and roster once, and a resumed one fetches nothing", () => {
    const page = new Page();
    page.start();
    assert.deepEqual(page.kinds((model, now) => model.sessionCame(SESSION, now)), ["open"]);
    assert.deepEqual(page.kinds((model, now) => model.streamOpened({ isFresh: true }, now)), [
        "list", "roster", "queues",
    ]);
    page.list([row("1")], position(7, 10));
    page.handle((model, now) => model.streamBroke({ isOver: false }, now));
    assert.deepEqual(page.kinds((model, now) => model.streamOpened({ isFresh: false }, now)), []);
});

test("stream events during a list request apply if they are later than the list", () => {
    const page = Page.live([row("1"), row("2"), row("3")]);
    page.handle((model) => model.fleet.refreshAsked());
    page.change(position(7, 19), [row("1", { on: true, version: 2 })]);
    page.change(position(7, 21), [row("2", { on: true, version: 2 })], ["3"]);
    page.list([row("1", { on: false, version: 3 }), row("2"), row("3")], position(7, 20));
    assert.equal(isOn(page, "1"), false);
    assert.equal(isOn(page, "2"), true);
    assert.equal(page.model.fleet.devices.row("3"), undefined);
});

test("a later epoch is later, regardless of its sequence number", () => {
    const page = Page.live([row("1")]);
    page.handle((model) => model.fleet.refreshAsked());
    page.change(position(8, 1), [row("1", { on: true, version: 2 })]);
    page.list([row("1")], position(7, 900));
    assert.equal(isOn(page, "1"), true);
});

test("more events than can wait cause another request for the list", () => {
    const page = Page.live([row("1")]);
    page.handle((model) => model.fleet.refreshAsked());
    for (let number = 11; number < 2_100; number += 1) page.change(position(7, number), [row("1")]);
    assert.deepEqual(page.list([row("1")], position(7, 10)).map((effect) => effect.do), ["store", "list"]);
});

test("a gap in the stream requests the list, and again if one in flight is older", () => {
    const page = Page.live();
    const resync = (at) => page.handle((model) => model.fleet.list(at));
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
    page.handle((model, now) => model.streamBroke({ isOver: false }, now));
    page.wait(12_000);
    const { text, detail } = connectionView(page.model, page.now);
    assert.equal(text, "Offline");
    assert.equal(detail, "The gateway isn’t responding. Showing the last known state (12 s ago).");
    assert.equal(page.model.fleet.devices.size, 2);
    const { power } = rowView(page.model, "1", page.now);
    assert.deepEqual([power.canPress, power.why], [false, "Can’t switch: the gateway isn’t responding"]);
    page.handle((model, now) => model.streamOpened({ isFresh: false }, now));
    assert.equal(connectionView(page.model, page.now).text, "Live");
    assert.equal(rowView(page.model, "1", page.now).power.canPress, true);
});

test("a browser without a connection is offline even if the stream is still open", () => {
    const page = Page.live();
    page.handle((model, now) => model.onlineChanged(false, now));
    const { text, detail } = connectionView(page.model, page.now);
    assert.deepEqual([text, detail], ["Offline", "You’re offline. Showing the last known state (just now)."]);
    assert.equal(rowView(page.model, "1", page.now).power.canPress, false);
    page.handle((model, now) => model.onlineChanged(true, now));
    assert.equal(connectionView(page.model, page.now).text, "Live");
});

test("a stream that cannot resume is opened again, after a query of the session", () => {
    const page = Page.live();
    assert.deepEqual(page.kinds((model, now) => model.streamBroke({ isOver: true }, now)), ["close"]);
    assert.deepEqual(page.wait(3_000), [{ do: "session" }]);
    assert.deepEqual(page.kinds((model, now) => model.sessionCame(SESSION, now)), ["open"]);
});

test("a stream without a heartbeat for 25 s is broken, also if it never had one", () => {
    const page = Page.live();
    page.wait(SILENCE_AT_MOST * 2);
    assert.equal(connectionView(page.model, page.now).text, "Live");
    page.hasBeats = false;
    page.wait(SILENCE_AT_MOST);
    assert.equal(connectionView(page.model, page.now).text, "Live");
    assert.deepEqual(page.wait(500).map((effect) => effect.do), ["close"]);
    assert.equal(connectionView(page.model, page.now).text, "Offline");
    assert.deepEqual(page.wait(3_000), [{ do: "session" }]);
    const again = page.handle((model, now) => model.sessionCame(SESSION, now));
    assert.deepEqual(again, [{ do: "open", stealsLock: true }], "the leader may have stopped");
    page.handle((model, now) => model.streamOpened({ isFresh: false }, now));
    page.wait(SILENCE_AT_MOST);
    assert.equal(connectionView(page.model, page.now).text, "Live");
    assert.deepEqual(page.wait(500).map((effect) => effect.do), ["close"]);
});

test("a gateway that freezes before it opens the stream is noticed", () => {
    const page = new Page();
    page.start();
    page.handle((model, now) => model.sessionCame(SESSION, now));
    page.wait(SILENCE_AT_MOST);
    assert.equal(connectionView(page.model, page.now).text, "Connecting…");
    assert.deepEqual(page.wait(500).map((effect) => effect.do), ["close"]);
    assert.equal(connectionView(page.model, page.now).text, "Offline");
});

test("a page that is loading shows connecting, without an error", () => {
    const page = new Page();
    page.start({ stored: { email: SESSION.email, at: page.now - 20_000, devices: [row("1")] } });
    const seen = () => {
        const { tone, text, detail } = connectionView(page.model, page.now);
        return [tone, text, detail];
    };
    const connecting = ["busy", "Connecting…", "Updated 20 s ago."];
    assert.deepEqual(seen(), connecting);
    assert.equal(rowView(page.model, "1", page.now).power.why, "Can’t switch: connecting");
    page.handle((model, now) => model.sessionCame(SESSION, now));
    assert.deepEqual(seen(), connecting);
    page.handle((model, now) => model.streamOpened({ isFresh: true }, now));
    assert.deepEqual(seen(), ["good", "Live", ""]);
});

test("a page that loads without a controller shows that, not that it is offline", () => {
    const page = new Page();
    page.start({ stored: { email: SESSION.email, at: page.now - 20_000, devices: [row("1")] } });
    page.handle((model, now) => model.sessionLost(true, now));
    const { text, detail } = connectionView(page.model, page.now);
    assert.equal(text, "No controller");
    assert.equal(detail, "The controller isn’t responding. Showing the last known state (20 s ago).");
    assert.equal(rowView(page.model, "1", page.now).power.why, "Can’t switch: the controller isn’t responding");
    page.handle((model, now) => model.sessionCame(SESSION, now));
    assert.equal(connectionView(page.model, page.now).text, "Connecting…");
});

test("a hidden page closes its stream, and opens it when it is shown again", () => {
    const page = Page.live();
    page.wait(4_000);
    const show = (isShown) => page.handle((model, now) => model.shownChanged(isShown, now));
    assert.deepEqual(show(false), [{ do: "close" }]);
    assert.deepEqual(show(false), []);
    page.wait(60_000);
    assert.deepEqual(show(true), [{ do: "open" }, { do: "session" }]);
    assert.equal(connectionView(page.model, page.now).text, "Connecting…");
    assert.equal(connectionView(page.model, page.now).detail, "Updated 1 min ago.");
    page.wait(500);
    assert.equal(popupView(page.model, page.now).text, "", "nothing pops up for a moment's connecting");
    page.handle((model, now) => model.streamOpened({ isFresh: false }, now));
    page.wait(500);
    assert.equal(connectionView(page.model, page.now).text, "Live");
    assert.equal(popupView(page.model, page.now).text, "");
});

test("a page opened in the background has no stream until it is shown", () => {
    const page = new Page();
    page.model = modelWith({ isShown: false });
    page.start();
    const entered = page.handle((model, now) => model.sessionCame(SESSION, now));
    assert.deepEqual(entered, []);
    const shown = page.handle((model, now) => model.shownChanged(true, now));
    assert.deepEqual(shown.map((effect) => effect.do), ["open", "session"]);
});

test("a page without a stream after it is shown again reports that", () => {
    const page = Page.live();
    page.handle((model, now) => model.shownChanged(false, now));
    page.handle((model, now) => model.shownChanged(true, now));
    page.wait(2_000);
    assert.equal(popupView(page.model, page.now).text, "Connecting…");
});

test("a gateway without a controller is reported, and switches are disabled", () => {
    const page = Page.live();
    page.handle((model) => model.controllerChanged(false));
    const { text, detail } = connectionView(page.model, page.now);
    assert.deepEqual([text, detail], ["No controller", "The controller isn’t responding."]);
    assert.equal(rowView(page.model, "1", page.now).power.canPress, false);
});

test("an incomplete or failed list is requested again", () => {
    const page = Page.live();
    const settling = { position: position(7, 11), isSettling: true, devices: [row("1")] };
    page.handle((model, now) => model.fleet.listed(settling, now));
    assert.deepEqual(page.wait(2_500), []);
    assert.deepEqual(page.wait(500), [{ do: "list" }]);
    page.handle((model, now) => model.fleet.listFailed("busy", now));
    assert.deepEqual(page.model.notices.all, []);
    assert.deepEqual(page.wait(3_000), [{ do: "list" }]);
});

test("a failed list that the user requested is reported", () => {
    const page = Page.live();
    page.handle((model) => model.fleet.refreshAsked());
    assert.deepEqual(page.handle((model) => model.fleet.refreshAsked()), []);
    page.handle((model, now) => model.fleet.listFailed("busy; try again in 3 s", now));
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
    assert.deepEqual(page.wait(500).map((effect) => effect.do), ["store"]);
});
