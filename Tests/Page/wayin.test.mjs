import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../../Sources/gateway/Page/model.js";
import { Rehearsal } from "../../Sources/gateway/Page/rehearsal.js";
import { hashOf, routeOf } from "../../Sources/gateway/Page/route.js";
import { screenOf, wayInView } from "../../Sources/gateway/Page/viewmodel.js";
import { isLongEnough, isOnwards } from "../../Sources/gateway/Page/wayin.js";
import { Page, SESSION } from "./samples.mjs";

const EMAIL = "ann@example.com";
const LIST = { screen: "list" };
const WAYS = { signUp: true, recovery: true };

/** A page on which nobody is logged in, at an address. */
function at(screen, ways = WAYS) {
    const page = new Page();
    page.start({ route: { screen } });
    page.take((model) => model.sessionEnded());
    if (ways !== null) page.take((model) => model.wayIn.waysCame(ways));
    return page;
}

const view = (page) => wayInView(page.model);
const go = (page, screen) => page.take((model) => model.routed({ screen }));
const type = (page, step, typed) =>
    page.take((model) => model.wayIn.typed(step, { isComplete: true, isSame: true, ...typed }));
const send = (page, step, secrets = {}) => page.take((model) => model.wayIn.sendAsked(step, secrets));

test("each screen has an address", () => {
    for (const screen of ["signup", "forgot", "reset"]) {
        assert.deepEqual(routeOf(`#/${screen}`), { screen });
        assert.equal(hashOf({ screen }), `#/${screen}`);
        assert.equal(screenOf(at(screen).model), screen);
    }
    for (const hash of ["#/login", "#/signups", "#/signup/x", "#/constructor"]) {
        assert.deepEqual(routeOf(hash), LIST);
    }
});

test("the screens follow each other: log in, sign up, forgot password, another password", () => {
    const steps = ["list", "signup", "forgot", "reset"].map((screen) => ({ screen }));
    for (const [index, from] of steps.entries()) {
        for (const [other, to] of steps.entries()) assert.equal(isOnwards(from, to), other > index);
    }
    assert.equal(isOnwards({ screen: "device", id: "1" }, { screen: "signup" }), true);
});

test("one moves on by a button, and back however one likes", () => {
    const page = at("list");
    assert.equal(screenOf(page.model), "login");
    assert.deepEqual(page.take((model) => model.wayIn.moveAsked("signup")), [
        { do: "move", route: { screen: "signup" } },
    ]);
    assert.deepEqual(go(page, "signup"), [{ do: "ways" }]);
    assert.equal(screenOf(page.model), "signup");
    go(page, "forgot");
    go(page, "signup");
    assert.equal(screenOf(page.model), "signup");
    go(page, "list");
    assert.equal(screenOf(page.model), "login");
});

test("moving on needs an established connection, and moving back does not", () => {
    const page = at("signup");
    page.take((model, now) => model.onlineChanged(false, now));
    assert.equal(view(page).canMove, false);
    assert.equal(view(page).button, "You are offline");
    assert.deepEqual(page.take((model) => model.wayIn.moveAsked("forgot")), []);
    const bounced = go(page, "forgot");
    assert.deepEqual(bounced, [{ do: "route", route: { screen: "signup" } }]);
    assert.equal(screenOf(page.model), "signup");
    go(page, "list");
    assert.equal(screenOf(page.model), "login");
    page.take((model, now) => model.onlineChanged(true, now));
    assert.equal(view(page).canMove, true);
    go(page, "signup");
    assert.equal(screenOf(page.model), "signup");
});

test("a rehearsed connection that is not established keeps the buttons off, and one that is lets on", () => {
    const page = new Page();
    page.model = new Model({ isOnline: true, rehearsal: new Rehearsal(7n) });
    page.start();
    page.take((model) => model.sessionEnded());
    const seen = new Set();
    for (let step = 0; step < 200; step += 1) {
        page.wait(500);
        const state = page.model.connectionState;
        assert.equal(view(page).canMove, state === "established", state);
        const effects = page.take((model) => model.wayIn.moveAsked("signup"));
        assert.equal(effects.length, state === "established" ? 1 : 0);
        seen.add(state);
    }
    assert.deepEqual([...seen].sort(), ["connecting", "error", "established"]);
});

test("a sign-up wants an email, and the same password twice", () => {
    const page = at("signup");
    type(page, "signup", { email: "ann", isComplete: true });
    assert.equal(view(page).canSend, false);
    type(page, "signup", { email: EMAIL, isComplete: false });
    assert.equal(view(page).canSend, false);
    type(page, "signup", { email: EMAIL, isSame: false });
    assert.equal(view(page).canSend, false);
    assert.equal(view(page).error, "The two passwords are not the same.");
    type(page, "signup", { email: EMAIL });
    assert.equal(view(page).canSend, true);
    assert.equal(view(page).error, "");
    assert.deepEqual(send(page, "signup", { password: "secret" }), [
        { do: "signUp", email: EMAIL, password: "secret" },
    ]);
    assert.deepEqual(send(page, "signup", { password: "secret" }), []);
});

test("who signed up is in, at the list, whatever the address said", () => {
    const page = at("signup");
    const effects = page.take((model, now) => model.loggedIn(SESSION, now));
    assert.deepEqual(effects, [
        { do: "close" }, { do: "forget", owesLogout: false, spared: SESSION.email }, { do: "route", route: LIST }, { do: "open" },
    ]);
    assert.equal(screenOf(page.model), "list");
    assert.deepEqual(go(page, "signup"), [{ do: "route", route: LIST }]);
    assert.equal(screenOf(page.model), "list");
});

test("where there is no way, the screen says so, and its button is off", () => {
    const off = { signup: /Sign-up is off here/, forgot: /No tokens are sent/, reset: /No tokens are sent/ };
    for (const [screen, words] of Object.entries(off)) {
        const page = at(screen, { signUp: false, recovery: false });
        type(page, screen, { email: EMAIL });
        assert.match(view(page).hint, words);
        assert.equal(view(page).canSend, false);
        assert.deepEqual(send(page, screen, { password: "secret" }), []);
        page.take((model) => model.wayIn.waysCame(WAYS));
        assert.equal(view(page).canSend, true, screen);
    }
    const unknown = at("signup", null);
    type(unknown, "signup", { email: EMAIL });
    assert.equal(view(unknown).canSend, true);
});

test("who forgot their password is asked for nothing but the email, and goes on to the token", () => {
    const page = at("forgot");
    page.take((model) => model.wayIn.typed("forgot", { email: EMAIL, isComplete: true, isSame: true }));
    assert.deepEqual(send(page, "forgot"), [{ do: "forgot", email: EMAIL }]);
    assert.deepEqual(page.take((model) => model.wayIn.recoveryBegun()), [
        { do: "move", route: { screen: "reset" } },
    ]);
    go(page, "reset");
    assert.equal(screenOf(page.model), "reset");
    assert.match(view(page).note, /If somebody has this address/);
});

test("the email goes from screen to screen, and secrets do not", () => {
    const page = at("list");
    type(page, "login", { email: EMAIL });
    go(page, "signup");
    assert.equal(view(page).email, EMAIL);
    assert.equal(view(page).canSend, false);
    go(page, "forgot");
    assert.equal(view(page).email, EMAIL);
    assert.equal(view(page).canSend, true);
    go(page, "list");
    assert.equal(view(page).canSend, false);
});

test("a token and another password lead back to the log-in, which says so and has the email", () => {
    const page = at("reset");
    type(page, "reset", {});
    assert.deepEqual(send(page, "reset", { token: "ab", password: "another" }), [
        { do: "reset", token: "ab", password: "another" },
    ]);
    page.take((model, now) => model.sendFailed("reset", { words: "The token is none.", isLost: false }, now));
    assert.equal(view(page).error, "The token is none.");
    assert.equal(view(page).canSend, true);
    const effects = page.take((model) => model.passwordReset(EMAIL));
    assert.deepEqual(effects, [{ do: "route", route: LIST }]);
    assert.equal(screenOf(page.model), "login");
    assert.equal(view(page).email, EMAIL);
    assert.match(view(page).note, /Log in with it/);
});

test("nothing of what is asked for is called a message of a person: there is nobody yet", () => {
    const page = at("forgot");
    page.wait(5_000);
    type(page, "forgot", { email: EMAIL });
    send(page, "forgot");
    page.wait(500);
    assert.notEqual(page.model.popup.view(page.now).text, "Message sent");
});

test("a password that is chosen has 8 bytes at least, whatever its characters are", () => {
    for (const text of ["", "7 bytes", "ääa"]) assert.equal(isLongEnough(text), false, text);
    for (const text of ["8 bytes!", "ääää", "correct horse"]) assert.equal(isLongEnough(text), true, text);
});
