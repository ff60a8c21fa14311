import assert from "node:assert/strict";
import { test } from "node:test";

import { DRAFTS_AT_MOST, NEW_POST } from "../../Sources/gateway/Page/logbook/drafts.js";
import { Store } from "../../Sources/gateway/Page/shell/store.js";
import { draftFrom } from "../../Sources/gateway/Page/logbook/logbookwire.js";
import { kinds, Page, request, row, SESSION, storage, storeIn } from "./samples.mjs";

const ROUTE = { screen: "logbook" };

/** Pages of one browser, each of which receives the others' storage events. */
class Browser {
    place = storage();
    store = storeIn(this.place);
    #pages = [];
    #stores = new Map();

    open() {
        const page = new Page();
        this.#stores.set(page, storeIn(this.place));
        page.start({ drafts: this.#stores.get(page).drafts(), services: this.store.services(), route: ROUTE });
        page.enter();
        this.#pages.push(page);
        return page;
    }

    /** Passes an event to a page, and executes the effects on the storage. @returns {object[]} All effects. */
    handle(page, event) {
        const effects = page.handle(event);
        for (const one of effects) if (one.do === "storeDraft") this.#store(page, one);
        return effects;
    }

    type(page, number, texts) { return this.handle(page, (model) => model.services.logbook.typed(number, texts)); }

    /** Advances the time of a page by half a second. */
    tick(page) { return this.handle(page, (model, now) => model.ticked(now)); }

    send(page, number, requestId) {
        return this.handle(page, (model) => model.services.logbook.sendAsked(number, requestId)).at(-1);
    }

    /** A page whose process ends without a last event. */
    kill(page) { this.#pages = this.#pages.filter((one) => one !== page); }

    #store(page, { number, draft }) {
        this.changing(`sensibus.draft.${number}`, page, () => this.#stores.get(page).storeDraft(number, page.model.email, draft));
    }

    /** Changes the value of a key, and notifies all other pages. */
    changing(key, page, change) {
        const oldValue = this.place.getItem(key);
        change();
        const newValue = this.place.getItem(key);
        const draftChange = oldValue === newValue ? null : Store.draftIn({ key, oldValue, newValue });
        if (draftChange === null) return;
        for (const other of this.#pages.filter((one) => one !== page && one.model.email === draftChange.email)) {
            other.logbook.draftChangedElsewhere(draftChange);
        }
    }
}

const draft = (page, number = NEW_POST) => page.model.services.logbook.draft(number);
const written = (page, requestId, now = 0) =>
    (model) => model.services.logbook.postWritten(requestId, { id: 1, title: "Leak" }, now);

/** A page that sends a draft, and another on which a different draft was typed in between. */
function sendingBesideTyping() {
    const browser = new Browser();
    const [one, other] = [browser.open(), browser.open()];
    browser.type(one, NEW_POST, { title: "Leak", body: "" });
    browser.send(one, NEW_POST, request(1));
    browser.type(other, NEW_POST, { title: "Fire", body: "" });
    browser.tick(other);
    return { browser, one, other };
}

test("a typed draft is stored after half a second, even if the page is then closed", () => {
    const browser = new Browser();
    const page = browser.open();
    assert.deepEqual(browser.type(page, NEW_POST, { title: "Leak", body: "" }), []);
    assert.deepEqual(browser.store.drafts(), []);
    browser.tick(page);
    assert.deepEqual(browser.tick(page).filter((one) => one.do === "storeDraft"), [], "once");
    assert.deepEqual([draft(browser.open()).title, draft(browser.open()).requestId], ["Leak", null]);
    browser.type(page, NEW_POST, { title: "", body: "" });
    browser.tick(page);
    assert.deepEqual(browser.store.drafts(), []);
});

test("a sent draft is stored before it is sent, and a new page has it with its ID", () => {
    const browser = new Browser();
    const page = browser.open();
    browser.type(page, NEW_POST, { title: "Leak", body: "" });
    assert.equal(browser.send(page, NEW_POST, request(1)).do, "writePost");
    const again = browser.open();
    assert.deepEqual([draft(again).isBusy, draft(again).error], [false, ""]);
    assert.equal(browser.send(again, NEW_POST, request(2)).requestId, request(1));
    browser.store.clear(false);
    assert.deepEqual(browser.store.drafts(), []);
});

test("pages with different drafts do not overwrite each other", () => {
    const browser = new Browser();
    const [one, other] = [browser.open(), browser.open()];
    browser.type(one, NEW_POST, { title: "Leak", body: "" });
    browser.type(other, 7, { body: "me too" });
    browser.tick(one);
    browser.tick(other);
    const third = browser.open();
    assert.deepEqual([draft(third).title, draft(third, 7).body], ["Leak", "me too"]);
});

test("a draft that was sent is removed from pages where it is unchanged, and from no others", () => {
    const browser = new Browser();
    const one = browser.open();
    browser.type(one, NEW_POST, { title: "Leak", body: "" });
    browser.tick(one);
    const [same, other] = [browser.open(), browser.open()];
    browser.type(other, NEW_POST, { title: "Leak in the hall", body: "" });
    browser.send(one, NEW_POST, request(1));
    assert.deepEqual([draft(same).title, draft(same).requestId], ["Leak", request(1)], "it was sent");
    assert.deepEqual([draft(other).title, draft(other).requestId], ["Leak in the hall", null]);
    browser.handle(one, written(one, request(1)));
    assert.deepEqual([one, same, other].map((page) => draft(page).title), ["", "", "Leak in the hall"]);
    browser.tick(other);
    assert.deepEqual([draft(one).title, draft(browser.open()).title], ["", "Leak in the hall"]);
});

test("a draft typed on another page stays, regardless of the result of sending", () => {
    const results = [
        (model, now) => model.services.logbook.postWritten(request(1), { id: 1, title: "Leak" }, now),
        (model) => model.services.logbook.sendFailed(NEW_POST, request(1), "", true),
        (model) => model.services.logbook.sendFailed(NEW_POST, request(1), "no", false),
    ];
    for (const result of results) {
        const { browser, one, other } = sendingBesideTyping();
        browser.handle(one, result);
        browser.tick(other);
        assert.deepEqual([draft(other).title, draft(other).requestId], ["Fire", null]);
    }
    const { browser, one, other } = sendingBesideTyping();
    browser.kill(other);
    browser.handle(one, results[0]);
    assert.equal(draft(browser.open()).title, "Fire", "another page's draft stays");
});

test("the same text is sent with the same ID, also after other text in between", () => {
    const browser = new Browser();
    const page = browser.open();
    browser.type(page, NEW_POST, { title: "Leak", body: "" });
    browser.send(page, NEW_POST, request(1));
    browser.handle(page, (model) => model.services.logbook.sendFailed(NEW_POST, request(1), "", true));
    browser.type(page, NEW_POST, { title: "Leaks", body: "" });
    assert.equal(draft(page).requestId, null);
    browser.tick(page);
    const again = browser.open();
    browser.type(again, NEW_POST, { title: "Leak", body: "" });
    assert.equal(browser.send(again, NEW_POST, request(2)).requestId, request(1));
});

test("after a logout on another page no draft is stored until the user is known", () => {
    const browser = new Browser();
    const page = browser.open();
    browser.type(page, NEW_POST, { title: "secret", body: "" });
    assert.ok(Store.isClearing({ key: "sensibus.forgotten", oldValue: null, newValue: "1" }));
    assert.ok(!Store.isClearing({ key: "sensibus.forgotten", oldValue: "1", newValue: null }));
    assert.deepEqual(kinds(page.event.clearedElsewhere(false)), ["session"]);
    assert.deepEqual(browser.tick(page).filter((one) => one.do === "storeDraft"), []);
    browser.handle(page, (model, now) => model.sessionCame(SESSION, now));
    browser.tick(page);
    assert.equal(browser.store.drafts().length, 1, "it was the same user");
    browser.handle(page, (model, now) => model.sessionCame({ ...SESSION, email: "eve@sensibus.local" }, now));
    assert.equal(draft(page).title, "");
});

test("a logout on another page ends the session here, and is sent if the other page cannot", () => {
    const browser = new Browser();
    const page = browser.open();
    browser.type(page, NEW_POST, { title: "secret", body: "" });
    const effects = browser.handle(page, (model) => model.clearedElsewhere(true));
    assert.deepEqual([page.model.phase, draft(page).title], ["login", ""]);
    assert.ok(effects.some((one) => one.do === "clear" && one.owesLogout && one.spared === null));
    assert.deepEqual(kinds(page.event.sessionCame(SESSION)), ["logout"]);
    page.event.logoutEnded(true);
    page.event.clearedElsewhere(false);
    assert.equal(page.model.owesLogout, false, "another page has sent it");
    assert.ok(!kinds(page.event.sessionCame(SESSION)).includes("logout"));
});

test("a refusal that does not concern an earlier attempt leaves its ID unchanged", () => {
    const browser = new Browser();
    const page = browser.open();
    browser.type(page, NEW_POST, { title: "Leak", body: "" });
    browser.send(page, NEW_POST, request(1));
    browser.handle(page, (model) => model.services.logbook.sendFailed(NEW_POST, request(1), "", true));
    browser.send(page, NEW_POST, request(2));
    browser.handle(page, (model) => model.services.logbook.sendFailed(NEW_POST, request(1), "log in again", false, true));
    assert.deepEqual([draft(page).error, draft(page).isBusy], ["log in again", false]);
    assert.equal(browser.send(page, NEW_POST, request(3)).requestId, request(1));
});

test("a sent draft is removed, even if the storage was too full to store that it was sent", () => {
    const place = storage(300);
    const store = storeIn(place);
    const text = { ...draftFrom({}), title: "x".repeat(100) };
    store.storeDraft(NEW_POST, "a@b", text);
    store.storeDraft(NEW_POST, "a@b", { ...text, sent: { ...text, requestId: request(1) } });
    assert.deepEqual(store.drafts().map((one) => one.draft.sent), [null], "the storage was full");
    store.storeDraft(NEW_POST, "a@b", null);
    assert.deepEqual(store.drafts(), []);
});

test("a user who logs in finds their own drafts only", () => {
    const place = storage();
    const store = storeIn(place);
    const own = { ...draftFrom({}), body: "mine" };
    store.storeDraft(7, SESSION.email, own);
    store.storeDraft(8, "eve@sensibus.local", own);
    const page = new Page();
    page.start();
    const [clear] = page.event.loggedIn(SESSION).filter((one) => one.do === "clear");
    assert.equal(clear.spared, SESSION.email);
    store.clear(clear.owesLogout, clear.spared);
    assert.deepEqual(store.drafts(), [{ email: SESSION.email, number: 7, draft: own }]);
    store.clear(false);
    assert.equal(place.length, 0);
});

test("of too many drafts the one changed longest ago is removed, except those in flight", () => {
    const browser = new Browser();
    const page = browser.open();
    browser.type(page, 1, { body: "first" });
    browser.send(page, 1, request(1));
    for (let n = 2; n <= DRAFTS_AT_MOST + 1; n += 1) browser.type(page, n, { body: "words" });
    browser.tick(page);
    assert.deepEqual([draft(page, 1).body, draft(page, 2).body, draft(page, 3).body], ["first", "", "words"]);
    assert.equal(browser.store.drafts().length, DRAFTS_AT_MOST);
});

test("if the storage is full, data that can be fetched again makes room for a draft", () => {
    const place = storage(3_000);
    const store = storeIn(place);
    store.storeList("a@b", 1, [row("1")]);
    store.storeService("logbook", "a@b", { at: 1, posts: [], total: 0, comments: [], filled: "x".repeat(1_500) });
    store.storeService("queues", "a@b", { at: 1, shown: null, starting: null });
    const long = { ...draftFrom({}), body: "y".repeat(2_000) };
    store.storeDraft(NEW_POST, "a@b", long);
    assert.deepEqual(store.drafts(), [{ email: "a@b", number: NEW_POST, draft: long }]);
    assert.deepEqual([store.list(), store.services().logbook], [null, null]);
    assert.notEqual(store.services().queues, null);
    store.storeDraft(7, "a@b", long);
    assert.equal(store.drafts().length, 1, "the storage is full, and the other draft stays");
    storeIn(null).storeDraft(7, "a@b", long);
});

test("invalid entries in the storage are not drafts", () => {
    const place = storage();
    const keys = ["sensibus.draft.x", "sensibus.draft.-1", "sensibus.draft.1.5", "sensibus.draft.", "sensibus.drafts", "other"];
    for (const key of keys) place.setItem(key, JSON.stringify({ version: 1, email: "a@b", body: "x" }));
    for (const [n, text] of ["{", "null", "7", '{"version":2,"email":"a@b"}', '{"version":1}'].entries()) {
        place.setItem(`sensibus.draft.${n}`, text);
    }
    assert.deepEqual(storeIn(place).drafts(), []);
    assert.equal(Store.draftIn({ key: null, oldValue: null, newValue: null }), null);
    place.setItem("sensibus.draft.9", JSON.stringify({ version: 1, email: "a@b", body: 7, device: "<b>", sent: { requestId: "x" } }));
    assert.deepEqual(storeIn(place).drafts(), [{ email: "a@b", number: 9, draft: draftFrom({}) }]);
});

test("another user's drafts are not shown", () => {
    const browser = new Browser();
    browser.store.storeDraft(7, "eve@sensibus.local", { ...draftFrom({}), body: "mine" });
    const page = browser.open();
    assert.equal(draft(page, 7).body, "");
});
