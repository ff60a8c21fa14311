import assert from "node:assert/strict";
import { test } from "node:test";
import { Bulletin, EVERY, STAYS } from "../../Sources/gateway/Page/fleet/bulletin.js";
import { Popup, popupView, SUCCESS_SHOWN_FOR } from "../../Sources/gateway/Page/shell/popup.js";
import { LASTS, Rehearsal, seedIn } from "../../Sources/gateway/Page/shell/rehearsal.js";
import { loginView } from "../../Sources/gateway/Page/login/loginview.js";
import { kinds, modelWith, Page, position, request, row, SESSION } from "./samples.mjs";

const popupOf = (page) => popupView(page.model, page.now).text;

/** The states of a rehearsal, each with its duration in milliseconds; the last is cut off. */
function statesOf(seed, milliseconds) {
    const rehearsal = new Rehearsal(seed);
    const states = [];
    for (let now = 0; now < milliseconds; now += 1) {
        const state = rehearsal.at(now);
        if (states.at(-1)?.state === state) states.at(-1).lasts += 1;
        else states.push({ state, lasts: 1 });
    }
    return states;
}

/** A page whose connection has the states that the test sets. */
function rehearsed(state) {
    const page = new Page();
    const scripted = { state, at() { return this.state; } };
    page.model = modelWith({ rehearsal: scripted });
    page.wait(500);
    page.start();
    return { page, scripted };
}

test("a rehearsal begins with connecting, and changes from each state to another one", () => {
    const states = statesOf(7n, 2_000_000);
    assert.ok(states.length > 400);
    assert.equal(states[0].state, "connecting");
    for (const { lasts } of states.slice(0, -1)) {
        assert.ok(lasts >= LASTS.atLeast && lasts <= LASTS.atMost, `${lasts}`);
    }
    const follows = (one, other) =>
        states.filter(({ state }, index) => state === one && states[index + 1]?.state === other).length;
    for (const one of ["connecting", "established", "error"]) {
        const counts = ["connecting", "established", "error"].map((other) => follows(one, other));
        assert.equal(follows(one, one), 0);
        const share = Math.max(...counts) / (counts[0] + counts[1] + counts[2]);
        assert.ok(share < 0.62, `${one}: ${counts}`);
    }
});

test("a seed gives the same rehearsal, and another seed another", () => {
    assert.deepEqual(statesOf(7n, 100_000), statesOf(7n, 100_000));
    assert.notDeepEqual(statesOf(7n, 100_000), statesOf(8n, 100_000));
});

test("a rehearsal that was not evaluated for a long time continues as if it had been", () => {
    const [looked, other] = [new Rehearsal(3n), new Rehearsal(3n)];
    other.at(0);
    for (let now = 0; now < 500_000; now += 100) looked.at(now);
    assert.equal(other.at(500_000), looked.at(500_000));
});

test("a seed is a whole number in the page's query", () => {
    assert.equal(seedIn("?rehearse=42"), 42n);
    assert.equal(seedIn("?a=1&rehearse=18446744073709551615"), 18446744073709551615n);
    for (const query of ["", "?rehearse=", "?rehearse=-1", "?rehearse=x", "?rehearse=1e3"]) {
        assert.equal(seedIn(query), null, query);
    }
});

test("an error stays visible, and a success disappears", () => {
    const popup = new Popup();
    assert.equal(popup.view(0).text, "");
    for (const [state, tone, text] of [["connecting", "busy", "Connecting…"], ["error", "bad", "Connection error"]]) {
        popup.follow(state, 0);
        popup.follow(state, 600_000);
        assert.deepEqual(popup.view(600_000), { tone, text });
    }
    popup.follow("established", 700_000);
    assert.deepEqual(popup.view(700_000), { tone: "good", text: "Connection established" });
    assert.equal(popup.view(700_000 + SUCCESS_SHOWN_FOR).text, "");
});

test("a message is shown as sent only while the connection is established", () => {
    for (const state of ["connecting", "error"]) {
        const popup = new Popup();
        popup.follow(state, 0);
        popup.sent();
        popup.follow(state, 500);
        assert.notEqual(popup.view(500).text, "Message sent");
        popup.follow("established", 1_000);
        assert.equal(popup.view(1_000).text, "Connection established");
    }
    const popup = new Popup();
    popup.follow("established", 0);
    popup.sent();
    popup.follow("established", 500);
    assert.equal(popup.view(500).text, "Message sent");
    popup.follow("error", 1_000);
    popup.follow("established", 1_500);
    assert.equal(popup.view(1_500).text, "Connection established");
});

test("the popup follows the page: connecting, established, sent, error", () => {
    const page = new Page();
    page.start();
    page.event.sessionCame(SESSION);
    page.wait(500);
    assert.equal(popupOf(page), "Connecting…");
    page.event.streamOpened({ isFresh: true });
    page.list([row("1")], position(7, 10));
    page.wait(500);
    assert.equal(popupOf(page), "Connection established");
    page.wait(SUCCESS_SHOWN_FOR);
    assert.equal(popupOf(page), "");
    page.toggle("1", request(1));
    page.wait(500);
    assert.equal(popupOf(page), "Message sent");
    page.event.controllerChanged(false);
    page.wait(500);
    assert.equal(popupOf(page), "Connection error");
    page.event.controllerChanged(true);
    page.event.streamBroke({ isOver: false });
    page.wait(500);
    assert.equal(popupOf(page), "Connection error");
});

test("login is possible only while the connection is established", () => {
    const { page, scripted } = rehearsed("error");
    page.event.sessionEnded();
    page.forms.typed("login", { email: SESSION.email, isComplete: true, isSame: true });
    const button = () => [loginView(page.model, page.now).button, loginView(page.model, page.now).canSend];
    assert.deepEqual(button(), ["You are offline", false]);
    scripted.state = "connecting";
    page.wait(500);
    assert.deepEqual(button(), ["Connecting…", false]);
    scripted.state = "established";
    page.wait(500);
    assert.deepEqual(button(), ["Log in", true]);
});

test("a rehearsed connection opens and closes the stream, and is marked as rehearsed", () => {
    const { page, scripted } = rehearsed("connecting");
    assert.deepEqual(kinds(page.event.sessionCame(SESSION)), []);
    page.wait(500);
    assert.equal(popupOf(page), "Connecting… (rehearsed)");
    scripted.state = "established";
    assert.deepEqual(kinds(page.wait(500)), ["open"]);
    page.event.streamOpened({ isFresh: true });
    page.list([row("1")], position(7, 10));
    assert.equal(page.connection.text, "Live");
    scripted.state = "error";
    assert.deepEqual(kinds(page.wait(500)), ["close"]);
    assert.equal(page.connection.text, "Offline");
    assert.equal(popupOf(page), "Connection error (rehearsed)");
    assert.deepEqual(page.toggle("1", request(1)), []);
    scripted.state = "connecting";
    page.wait(500);
    assert.equal(page.connection.text, "Connecting…");
});

test("every five seconds a bulletin of the fleet is shown for a while", () => {
    const page = Page.live([row("1"), row("2"), row("3", { presence: "offline", presenceReason: "nodeLost" })]);
    const bulletin = () => page.connection.bulletin;
    page.wait(EVERY);
    assert.equal(bulletin(), null);
    page.wait(500);
    assert.deepEqual([bulletin().text, bulletin().changes, bulletin().more], ["2 of 3 online", [], 0]);
    page.wait(STAYS);
    assert.equal(bulletin(), null);
    page.change(position(7, 11), [row("1", { on: true, version: 2 })]);
    page.change(position(7, 12), [row("2", { temperature: 25 })]);
    page.change(position(7, 13), [row("3")]);
    page.wait(EVERY - STAYS);
    assert.equal(bulletin().text, "3 of 3 online");
    assert.deepEqual(bulletin().changes, [{ name: "Bedroom 3", what: "online" }, { name: "Bedroom 1", what: "on" }]);
});

test("a bulletin is shown on one screen only, and not without a connection", () => {
    const page = Page.live();
    page.wait(EVERY + 500);
    const bulletin = () => page.connection.bulletin;
    assert.notEqual(bulletin(), null);
    page.event.routed({ screen: "logbook" });
    assert.equal(bulletin(), null);
    page.wait(EVERY);
    assert.notEqual(bulletin(), null);
    page.event.streamBroke({ isOver: false });
    page.wait(500);
    assert.equal(bulletin(), null);
    page.wait(EVERY * 2);
    assert.equal(bulletin(), null);
});

test("a bulletin names the latest two changes, one per device, and counts the others", () => {
    const bulletin = new Bulletin();
    bulletin.ticked(() => assert.fail(), 0);
    for (const id of ["1", "2", "3", "4"]) bulletin.recordChange(row(id), row(id, { on: true }));
    bulletin.recordChange(row("2", { on: true }), row("2", { on: true, targetTemperature: 25 }));
    bulletin.recordChange(undefined, row("5"));
    bulletin.recordChange(row("1"), row("1"));
    bulletin.recordRemoval(row("4"));
    bulletin.ticked(() => ({ online: 1_234, all: 10_000 }), EVERY);
    const { text, changes, more } = bulletin.view(EVERY);
    assert.equal(text, "1,234 of 10,000 online");
    assert.deepEqual(changes, [{ name: "Bedroom 4", what: "removed" }, { name: "Bedroom 5", what: "new" }]);
    assert.equal(more, 3);
});
