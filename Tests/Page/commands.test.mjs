import assert from "node:assert/strict";
import { test } from "node:test";
import { RETRIED_FOR } from "../../Sources/gateway/Page/common/retries.js";
import { COMMANDS_AT_MOST } from "../../Sources/gateway/Page/fleet/commands.js";
import { NOTICES_AT_MOST } from "../../Sources/gateway/Page/common/notices.js";
import { requestID } from "../../Sources/gateway/Page/common/requestid.js";
import { deviceView } from "../../Sources/gateway/Page/device/deviceview.js";
import { INCARNATION, outcome, Page, position, request, row, SESSION } from "./samples.mjs";

const notices = (page) => page.model.notices.all.map(({ tone, title, text }) => [tone, title, text]);
const lose = (page) => page.fleet.answerLost(request(1));

/** A page whose toggle of device 1 is pending. */
function toggled() {
    const page = Page.live();
    page.toggle("1", request(1));
    return page;
}
const power = (page, id) => page.rowView(id).power;

test("a toggle names the seen incarnation and version, and shows the expected state until it ends", () => {
    const page = Page.live([row("1", { version: 41 })]);
    const effects = page.toggle("1", request(1));
    assert.deepEqual(effects, [
        { do: "toggle", id: "1", requestId: request(1), incarnation: INCARNATION, version: 41 },
    ]);
    assert.deepEqual(power(page, "1"), {
        isOn: true, isPending: true, isCancelling: false, canPress: true, why: "Switching… Press again to cancel.",
    });
    assert.equal(page.rowView("1").line, "Turning on…");
    assert.deepEqual(page.toggle("1", request(2)), []);
    page.finish(outcome(request(1), "applied"));
    assert.equal(power(page, "1").isPending, false);
    assert.deepEqual(notices(page), [["good", "Bedroom 1", "applied, in words"]]);
});

test("a toggle that was not applied restores the switch and shows the reason", () => {
    for (const kind of ["rejected", "conflict", "expired", "undetermined", "refused"]) {
        const page = toggled();
        page.finish(outcome(request(1), kind));
        assert.deepEqual(power(page, "1"), {
            isOn: false, isPending: false, isCancelling: false, canPress: true, why: "",
        }, kind);
        assert.deepEqual(notices(page), [["bad", "Bedroom 1", `${kind}, in words`]]);
    }
});

test("a toggle's outcome is shown once, from its answer or from the stream", () => {
    const page = toggled();
    page.finish(outcome(request(1), "applied", { device: "1" }));
    page.finish(outcome(request(1), "applied"));
    assert.equal(notices(page).length, 1);
});

test("other users' requests are not announced", () => {
    const page = Page.live();
    page.finish(outcome(request(77), "applied", { device: "1" }));
    assert.deepEqual(notices(page), []);
});

const OUTCOME = { do: "outcome", requestId: request(1) };
const CANCEL = { do: "cancel", requestId: request(1) };

test("after a lost answer the outcome is requested at increasing intervals", () => {
    const page = toggled();
    const waits = [];
    for (let losses = 0; losses < 6; losses += 1) {
        lose(page);
        const from = page.now;
        let again = [];
        while (again.length === 0) again = page.wait(500);
        assert.deepEqual(again, [OUTCOME]);
        waits.push(page.now - from);
    }
    assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    assert.equal(power(page, "1").isPending, true);
});

test("an unknown outcome does not end a toggle, and is requested again", () => {
    const page = toggled();
    page.finish(outcome(request(1), "unknown"));
    assert.deepEqual(notices(page), []);
    assert.deepEqual(page.wait(500), [OUTCOME]);
    page.finish(outcome(request(1), "expired"));
    assert.deepEqual(notices(page), [["bad", "Bedroom 1", "expired, in words"]]);
});

test("a toggle that the controller has not seen is sent again unchanged", () => {
    const page = Page.live();
    const [first] = page.toggle("1", request(1));
    lose(page);
    page.wait(500);
    page.change(position(7, 11), [row("1", { incarnation: "00000000000000a2", version: 7 })]);
    const unseen = (model, now) => model.fleet.outcomeUnseen(request(1), now);
    assert.deepEqual(page.handle(unseen), [first]);
    page.finish(outcome(request(1), "conflict"));
    assert.deepEqual(notices(page), [["bad", "Bedroom 1", "conflict, in words"]]);
});

/** A page whose toggle was lost, sent again and refused, with the effects. */
function refusedAgain() {
    const page = toggled();
    lose(page);
    page.wait(500);
    page.fleet.outcomeUnseen(request(1));
    return { page, effects: page.finish(outcome(request(1), "refused")) };
}

const settle = (page, kind) => page.fleet.cancelAnswered({ requestId: request(1), kind, message: kind });

test("a refusal after a lost answer is shown only when a cancel shows that no copy is applied", () => {
    const { page, effects } = refusedAgain();
    assert.deepEqual(effects, [CANCEL]);
    assert.deepEqual(notices(page), []);
    settle(page, "cancelled");
    assert.deepEqual(notices(page), [["bad", "Bedroom 1", "refused, in words"]]);
    assert.equal(power(page, "1").isPending, false);
});

test("a copy that was applied before the refusal has its own outcome", () => {
    const { page } = refusedAgain();
    assert.deepEqual(settle(page, "too-late"), [OUTCOME]);
    page.finish(outcome(request(1), "applied"));
    assert.deepEqual(notices(page), [["good", "Bedroom 1", "applied, in words"]]);
});

test("a cancel without a decision leaves the outcome open", () => {
    const { page } = refusedAgain();
    settle(page, "pending");
    assert.deepEqual(page.wait(1_000), [OUTCOME]);
    for (const kind of ["lost", "refused"]) {
        const { page: other } = refusedAgain();
        settle(other, kind);
        assert.deepEqual(other.wait(1_000), [CANCEL], kind);
        assert.deepEqual(notices(other), [], kind);
    }
});

test("without a connection nothing is requested again, and with it at once", () => {
    const page = toggled();
    page.event.streamBroke({ isOver: false });
    lose(page);
    assert.deepEqual(page.wait(20_000), []);
    const effects = page.event.streamOpened({ isFresh: false });
    assert.deepEqual(effects.filter((one) => one.do !== "queues"), [OUTCOME]);
});

test("a toggle without an outcome for a minute is shown as unknown", () => {
    const page = toggled();
    page.event.streamBroke({ isOver: false });
    lose(page);
    page.wait(RETRIED_FOR - 500);
    assert.equal(power(page, "1").isPending, true);
    page.wait(500);
    assert.equal(power(page, "1").isPending, false);
    assert.deepEqual(notices(page), [["bad", "Bedroom 1", "No answer. We don’t know whether it switched."]]);
});

test("an outcome in the stream is enough if the answer was lost", () => {
    const page = toggled();
    lose(page);
    page.finish(outcome(request(1), "applied", { device: "1" }));
    assert.deepEqual(page.wait(60_000), []);
    assert.equal(power(page, "1").isPending, false);
});

test("an offline device, a viewer's page, and too many toggles at once are not switched", () => {
    const page = Page.live([row("1", { presence: "offline", presenceReason: "disconnected" }), row("2")]);
    assert.deepEqual(page.toggle("1", request(1)), []);
    assert.equal(power(page, "1").why, "Can’t switch: offline (no connection)");
    assert.deepEqual(page.toggle("99", request(1)), []);
    const sensor = Page.live([row("1", { model: "elements" })]);
    assert.deepEqual(sensor.toggle("1", request(1)), []);
    assert.equal(power(sensor, "1").why, "Sensor only");
    const viewer = Page.live([row("1")], { ...SESSION, role: "viewer" });
    assert.deepEqual(viewer.toggle("1", request(1)), []);
    assert.equal(power(viewer, "1").why, "View-only access");
    const ids = Array.from({ length: COMMANDS_AT_MOST + 1 }, (_, number) => String(number));
    const busy = Page.live(ids.map((id) => row(id)));
    const effects = ids.map((id) => busy.toggle(id, request(Number(id))).length);
    assert.deepEqual(effects, [...Array(COMMANDS_AT_MOST).fill(1), 0]);
    assert.match(notices(busy)[0][2], /Too many requests/);
});

test("a pending toggle can be cancelled once", () => {
    const page = Page.live();
    page.event.routed({ screen: "device", id: "1" });
    assert.equal(deviceView(page.model, page.now).cancel, null);
    page.toggle("1", request(1));
    page.wait(2_000);
    const waiting = { text: "Waiting for the device… 2 s", isPossible: true };
    assert.deepEqual(deviceView(page.model, page.now).cancel, waiting);
    const ask = (model) => model.fleet.cancelAsked("1");
    assert.deepEqual(page.handle(ask).filter(({ do: kind }) => kind !== "storeCommand"), [CANCEL]);
    assert.deepEqual(page.handle(ask), []);
    assert.equal(deviceView(page.model, page.now).cancel.isPossible, false);
    const answer = { requestId: request(1), kind: "cancelled", message: "in time" };
    page.fleet.cancelAnswered(answer);
    assert.equal(deviceView(page.model, page.now).cancel, null);
    page.finish(outcome(request(1), "cancelled"));
    assert.deepEqual(notices(page), [["plain", "Bedroom 1", "in time"]]);
});

test("after a cancel that is too late or pending, the outcome follows", () => {
    for (const [kind, isPossible] of [["too-late", true], ["lost", true], ["pending", false]]) {
        const page = Page.live();
        page.event.routed({ screen: "device", id: "1" });
        page.toggle("1", request(1));
        page.fleet.cancelAsked("1");
        const answer = { requestId: request(1), kind, message: kind };
        page.fleet.cancelAnswered(answer);
        assert.equal(deviceView(page.model, page.now).cancel.isPossible, isPossible, kind);
        assert.equal(power(page, "1").isPending, true);
    }
});

test("messages disappear after a time, errors later, and the oldest makes room", () => {
    const page = Page.live(Array.from({ length: 8 }, (_, number) => row(String(number))));
    for (let number = 0; number < 8; number += 1) {
        page.toggle(String(number), request(number));
        page.finish(outcome(request(number), number < 6 ? "rejected" : "applied"));
    }
    const titles = () => notices(page).map(([, title]) => title);
    assert.deepEqual(titles(), ["Bedroom 4", "Bedroom 5", "Bedroom 6", "Bedroom 7"]);
    assert.equal(notices(page).length, NOTICES_AT_MOST);
    page.wait(4_500);
    assert.deepEqual(notices(page).map(([tone]) => tone), ["bad", "bad"]);
    page.handle((model) => model.notices.dismiss(model.notices.all[0].id));
    assert.deepEqual(titles(), ["Bedroom 5"]);
    page.wait(5_000);
    assert.deepEqual(notices(page), []);
});

test("a request ID is a UUID of version 7 that begins with the time", () => {
    const id = requestID(0x0190a6e87c5b, new Uint8Array(10).fill(0xff));
    assert.equal(id, "0190a6e8-7c5b-7fff-bfff-ffffffffffff");
    assert.equal(requestID(0, new Uint8Array(10)), "00000000-0000-7000-8000-000000000000");
    assert.equal(requestID(-1, new Uint8Array(10)), "00000000-0000-7000-8000-000000000000");
});
