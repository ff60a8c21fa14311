import assert from "node:assert/strict";
import { test } from "node:test";

import { RETRIED_FOR } from "../../Sources/gateway/Page/common/retries.js";
import { LOOK_EVERY } from "../../Sources/gateway/Page/queue/queues.js";
import { CHOICES_AT_MOST, queueView } from "../../Sources/gateway/Page/queue/queuesview.js";
import { storedQueuesFrom, queueFrom, queueListFrom } from "../../Sources/gateway/Page/queue/queuewire.js";
import { kinds, Page, position, request, row, SESSION, storage, storeIn } from "./samples.mjs";

const VIEWER = { ...SESSION, role: "viewer" };
const LIST = { screen: "list" };

/** A queue as the gateway sends it: that many of three commands have ended, and the next runs. */
function queue(number, state, ended, other = {}) {
    const isFinal = ["done", "failed", "stopped", "cancelled"].includes(state);
    const list = [1, 2, 3].map((place) => ({
        id: `${place}`, device: "1", takesMs: place * 1_000, do: "toggle", isFailure: false, explanation: null,
        state: place <= ended ? "applied" : place === ended + 1 && !isFinal ? "running" : "waiting",
    }));
    return { id: request(number), state, isFinal, commands: 3, ended, failed: 0, list, ...other };
}

/** The effects of the answer to a request. */
const came = (page, value) => page.queues.came(queueFrom(value)).filter((one) => one.do !== "storeService");
/** The effects of the answer to a query. */
const looked = (page, value) => page.queues.looked(queueFrom(value))
        .filter((one) => one.do !== "storeService");
const send = (page, number, device = "1") => page.queues.sendAsked(request(number), device);
const steer = (page, kind) => page.queues.steerAsked(kind);
const fail = (page, isLost) => page.queues.sendFailed("no such thing", isLost);
const view = (page) => queueView(page.model, page.now);
const looks = (effects) => effects.filter((one) => one.do === "queue");
const starts = (effects) => effects.filter((one) => one.do === "startQueue");
const steerings = (effects) => effects.filter((one) => one.do === "steerQueue");
/** A page that shows a queue. */
function pageWith(value) {
    const page = Page.live();
    looked(page, value);
    return page;
}
/** A user's page that was closed and is started again after that time. */
function startedAgain(page, later) {
    const stored = storedQueuesFrom(JSON.parse(JSON.stringify(page.model.services.queues.dataToStore())));
    const next = new Page();
    next.now = page.now + later;
    next.start({ services: { queues: { email: SESSION.email, ...stored } } });
    return next;
}
function reopened(page, later) {
    const next = startedAgain(page, later);
    next.enter();
    return next;
}
/** The requests of a page during a time without answers. */
function waitUnanswered(page, milliseconds) {
    const effects = [];
    for (const end = page.now + milliseconds; page.now < end;) {
        const some = page.wait(500);
        page.event.messageReceived();
        effects.push(...some);
        if (starts(some).length + steerings(some).length > 0) fail(page, true);
        if (looks(some).length > 0) page.queues.lookFailed(null);
    }
    return effects;
}

test("commands are sent once, to the chosen device, and not without a choice", () => {
    const page = Page.live([row("1", { presence: "offline" }), row("2"), row("3"), row("4", { model: "elements" })]);
    assert.deepEqual([view(page).target, view(page).canSend], [null, false]);
    assert.match(view(page).hint.join(""), /^Choose a device/);
    assert.deepEqual(view(page).choices.map(({ id }) => id), ["2", "3"]);
    page.queues.choose("2");
    assert.equal(view(page).target, "2");
    assert.equal(view(page).hint.join(""), "Runs ten test commands on Bedroom 2 (about 55 s).");
    page.fleet.filterTyped("bedroom 3");
    assert.equal(view(page).target, "2", "a search does not clear the choice");
    page.change(position(7, 11), [row("2", { presence: "offline" })]);
    assert.deepEqual([view(page).target, view(page).canSend], [null, false]);
    assert.equal(view(page).hint.join(""), "Bedroom 2 isn’t online.");
    page.queues.choose("3");
    const effects = send(page, 1, "3");
    assert.deepEqual(kinds(effects), ["storeService", "startQueue"]);
    assert.deepEqual(effects[1], { do: "startQueue", requestId: request(1), device: "3" });
    assert.deepEqual(send(page, 2), [], "one is in flight");
    assert.equal(view(page).button, "Sending…");
    came(page, queue(1, "running", 0));
    assert.equal(view(page).isSending, false);
    assert.deepEqual(send(page, 3), [], "one runs");
    assert.equal(view(page).canSend, false);
});

test("IDs appear when their commands end, and new commands can be sent after the last end", () => {
    const page = Page.live();
    page.queues.listed([]);
    send(page, 1);
    came(page, queue(1, "running", 0));
    assert.deepEqual(view(page).shown.items, []);
    assert.equal(view(page).shown.running, "Running command 1 (1 s)");
    const asked = page.wait(LOOK_EVERY + 500);
    assert.equal(looks(asked).length, 1, "no second request while an answer is awaited");
    looked(page, queue(1, "running", 2));
    assert.deepEqual(view(page).shown.items.map((one) => one.id), ["1", "2"]);
    assert.equal(view(page).shown.title.join(""), "Bedroom 1: 2 of 3 done");
    assert.equal(looks(page.wait(LOOK_EVERY)).length, 1);
    looked(page, queue(1, "done", 3));
    assert.deepEqual(looks(page.wait(10_000)), [], "an ended queue stays ended");
    assert.equal(view(page).shown.isUnderWay, false);
    page.queues.choose("1");
    assert.equal(view(page).canSend, true);
});

test("a start whose answer is lost is sent again with its ID until it has an answer", () => {
    const page = Page.live();
    send(page, 1);
    fail(page, true);
    assert.equal(view(page).button, "Sending again…");
    const [again] = starts(page.wait(5_000));
    assert.deepEqual(again, { do: "startQueue", requestId: request(1), device: "1" });
    fail(page, true);
    page.event.onlineChanged(false);
    assert.deepEqual(starts(page.wait(20_000)), [], "there is no connection");
    page.event.onlineChanged(true);
    assert.equal(starts(page.wait(1_000))[0].requestId, request(1));
    came(page, queue(1, "running", 1));
    assert.equal(view(page).shown.items.length, 1);
});

test("a refusal is shown, and a new attempt has another ID", () => {
    const page = Page.live();
    send(page, 1);
    fail(page, false);
    assert.equal(view(page).error, "no such thing");
    assert.equal(send(page, 2).at(-1).requestId, request(2));
    assert.equal(view(page).error, "");
});

test("a queue is paused, resumed, stopped and cancelled, one action at a time", () => {
    const page = pageWith(queue(1, "running", 1));
    assert.deepEqual(steer(page, "pause").at(-1), { do: "steerQueue", id: request(1), kind: "pause" });
    assert.deepEqual(steer(page, "stop"), []);
    assert.equal(view(page).shown.stop.can, false);
    came(page, queue(1, "paused", 1));
    assert.deepEqual(view(page).shown.pause, { kind: "resume", words: "Resume", can: true });
    steer(page, "resume");
    fail(page, true);
    assert.equal(steerings(page.wait(5_000))[0].kind, "resume");
    came(page, queue(1, "stopping", 1));
    assert.equal(view(page).shown.pause.can, false);
    assert.equal(view(page).shown.cancel.can, true);
    steer(page, "cancel");
    came(page, queue(1, "cancelled", 2));
    assert.equal(view(page).shown.isUnderWay, false);
    assert.deepEqual(steer(page, "cancel"), []);
});

test("reports from before an action neither confirm it nor replace its answer", () => {
    const page = pageWith(queue(1, "running", 1));
    assert.equal(looks(page.wait(LOOK_EVERY + 500)).length, 1);
    steer(page, "pause");
    looked(page, queue(1, "running", 1));
    fail(page, true);
    assert.deepEqual(steerings(page.wait(2_000)).map((one) => one.kind), ["pause"], "the lost request is repeated");
    came(page, queue(1, "paused", 1));
    assert.equal(looks(page.wait(LOOK_EVERY + 500)).length, 1);
    steer(page, "resume");
    came(page, queue(1, "running", 1));
    looked(page, queue(1, "paused", 1));
    assert.equal(view(page).shown.pause.kind, "pause");
    assert.equal(looks(page.wait(LOOK_EVERY + 500)).length, 1, "it is queried again");
    looked(page, queue(1, "running", 2));
    assert.equal(view(page).shown.items.length, 2);
});

test("a reopened page shows the queue, and repeats its unanswered request", () => {
    const page = pageWith(queue(1, "running", 2));
    const later = startedAgain(page, 0);
    assert.deepEqual(view(later).shown.items.map((one) => one.id), ["1", "2"]);
    assert.deepEqual(looks(later.enter()), [{ do: "queue", id: request(1) }]);

    const other = Page.live();
    send(other, 7);
    const next = reopened(other, 5_000);
    assert.deepEqual(next.wait(500), [{ do: "startQueue", requestId: request(7), device: "1" }]);
});

test("a start without an answer is repeated for a minute, and then queried", () => {
    const page = Page.live();
    page.queues.listed([]);
    send(page, 1);
    fail(page, true);
    const minute = waitUnanswered(page, RETRIED_FOR - 500);
    assert.ok(starts(minute).length > 5);
    assert.deepEqual(looks(minute), []);
    const later = waitUnanswered(page, 30_000);
    assert.deepEqual(starts(later), []);
    assert.deepEqual(looks(later)[0], { do: "queue", id: request(1) });
    assert.ok(looks(later).length > 20, "until there is an answer");
    assert.deepEqual([view(page).button, view(page).canSend], ["Checking…", false]);
    assert.deepEqual(send(page, 2), [], "it is not known yet");
    looked(page, queue(1, "running", 1));
    assert.equal(view(page).shown.items.length, 1);
    assert.deepEqual([view(page).error, view(page).button], ["", "Send commands"]);
});

test("a start from days ago is not sent again, and if it is missing a new one can be sent", () => {
    const page = pageWith(queue(1, "done", 3));
    send(page, 7);
    for (const next of [reopened(page, 3 * 86_400_000), reopened(reopened(page, 3 * 86_400_000), 1_000)]) {
        assert.deepEqual(next.wait(500), [{ do: "queue", id: request(7) }]);
        const effects = next.queues.lookFailed(request(7));
        assert.deepEqual(effects, [{ do: "storeService", service: "queues" }]);
        const words = "We couldn’t confirm that the commands were sent.";
        assert.deepEqual([view(next).error, view(next).button, view(next).canSend], [words, "Send commands", false]);
        assert.equal(next.model.services.queues.dataToStore().starting, null);
        assert.equal(next.model.services.queues.shown.id, request(1), "the shown queue stays");
        next.list([row("1")], position(7, 10));
        assert.equal(send(next, 8).at(-1).requestId, request(8));
        assert.equal(view(next).error, "");
    }
    const old = { at: 1, shown: null, starting: { requestId: request(7), device: "1" } };
    assert.equal(storedQueuesFrom(old).starting.askedAt, 0, "one without a time counts as old");
});

test("an action without an answer is repeated for a minute, and then its result is queried", () => {
    const page = pageWith(queue(1, "running", 1));
    steer(page, "resume");
    fail(page, true);
    const minute = waitUnanswered(page, RETRIED_FOR - 500);
    assert.ok(steerings(minute).length > 5);
    const later = waitUnanswered(page, 2_000);
    assert.deepEqual(steerings(later), []);
    assert.deepEqual(looks(later)[0], { do: "queue", id: request(1) });
    assert.equal(view(page).error, "We couldn’t confirm that the commands were resumed.");
    looked(page, queue(1, "paused", 1));
    assert.match(view(page).error, /We couldn’t confirm/, "a report does not confirm the resume");
    assert.deepEqual([view(page).shown.stop.can, steer(page, "stop").at(-1).kind], [true, "stop"]);
    assert.equal(view(page).error, "");
});

test("a page that slept for more than the minute does not repeat its action", () => {
    const page = pageWith(queue(1, "paused", 1));
    steer(page, "resume");
    page.now += 3_600_000;
    page.event.messageReceived();
    fail(page, true);
    page.event.onlineChanged(false);
    assert.deepEqual(page.wait(10_000), []);
    assert.match(view(page).error, /^We couldn’t confirm/, "also without a connection");
    page.event.onlineChanged(true);
    page.event.messageReceived();
    const awake = page.wait(500);
    assert.deepEqual([steerings(awake), looks(awake).length], [[], 1]);
});

test("a page without a queue does not overwrite another page's stored one", () => {
    const store = (page) => page.queues.store();
    assert.deepEqual(store(Page.live()), []);
    const page = pageWith(queue(1, "done", 3));
    const stored = [{ do: "storeService", service: "queues" }];
    assert.deepEqual(store(page), stored);
    const next = reopened(page, 1_000);
    assert.deepEqual(next.queues.lookFailed(request(1)), stored);
    assert.equal(next.model.services.queues.dataToStore().shown, null);
    assert.deepEqual(store(next), stored, "a missing queue is not stored");
});

test("a queue of another user is shown when the list opens", () => {
    const page = Page.live();
    page.queues.listed([]);
    assert.ok(page.event.routed(LIST).some((one) => one.do === "queues"));
    const found = queueListFrom({ queues: [{ id: request(9), state: "running", isFinal: false }, { id: "x", state: "running" }] });
    assert.deepEqual(found.length, 1);
    assert.deepEqual(looks(page.queues.listed(found)), [{ do: "queue", id: request(9) }]);
    page.queues.lookFailed(request(8));
    page.queues.lookFailed(request(9));
    assert.equal(view(page).shown, null);
});

test("without a connection the last state is shown with its age, and nothing can be sent", () => {
    const page = pageWith(queue(1, "running", 1));
    page.event.onlineChanged(false);
    page.now += 120_000;
    assert.equal(view(page).shown.title.join(""), "Bedroom 1: 1 of 3 done (2 min ago)");
    assert.equal(view(page).shown.cancel.can, false);
    assert.deepEqual(steer(page, "cancel"), []);
});

test("viewers see queues, and cannot act on them", () => {
    const page = Page.live([row("1")], VIEWER);
    assert.equal(view(page).isHidden, true);
    came(page, queue(1, "running", 1));
    assert.equal(view(page).isHidden, false);
    assert.equal(view(page).target, null);
    assert.equal(view(page).shown.pause.can, false);
    assert.deepEqual(send(page, 1), []);
});

test("a failed command shows its reason, and long texts are cut", () => {
    const page = Page.live();
    const value = queue(1, "failed", 1);
    value.list[0] = { ...value.list[0], id: "<b>x".repeat(30), isFailure: true, state: "refused", explanation: "offline" };
    came(page, value);
    const [item] = view(page).shown.items;
    assert.equal(item.tone, "bad");
    assert.equal(item.words, "refused: offline");
    assert.equal(item.id.length, 32);
    for (const wrong of [null, {}, { ...value, id: "x" }, { ...value, state: "odd" }, { ...value, list: null }]) {
        assert.equal(queueFrom(wrong), null);
    }
    assert.equal(storedQueuesFrom({ at: 1, shown: 7, starting: { requestId: "x" } }).starting, null);
});

test("a logout deletes the stored queue", () => {
    const store = storeIn(storage());
    store.storeService("queues", SESSION.email, { at: 1, shown: queue(1, "done", 3), starting: null });
    assert.equal(store.services().queues.shown.id, request(1));
    store.clear(false);
    assert.equal(store.services().queues, null);
});

test("cancelled and failed commands are not counted as done, and each shows its result", () => {
    const page = Page.live();
    const value = queue(1, "cancelled", 3);
    value.list[1] = { ...value.list[1], state: "rejected", isFailure: true, explanation: "no code" };
    value.list[2] = { ...value.list[2], state: "cancelled", isFailure: true };
    came(page, value);
    assert.equal(view(page).shown.title.join(""), "Bedroom 1: 1 of 3 done, 1 failed, cancelled");
    assert.deepEqual(view(page).shown.items.map(({ id, tone, words }) => [id, tone, words]), [
        ["1", "good", ""], ["2", "bad", "rejected: no code"], ["3", "plain", "cancelled"],
    ]);
    came(page, queue(2, "done", 3));
    assert.equal(view(page).shown.title.join(""), "Bedroom 1: all 3 done");
});

test("the choices are bounded, and the list shows that a search finds others", () => {
    const page = Page.live(Array.from({ length: 150 }, (_, n) => row(`${n + 1}`)));
    assert.deepEqual([view(page).choices.length, view(page).hasMore], [CHOICES_AT_MOST, true]);
    page.fleet.filterTyped("bedroom 15");
    assert.deepEqual([view(page).choices.map(({ id }) => id), view(page).hasMore], [["15", "150"], false]);
});
