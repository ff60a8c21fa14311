import assert from "node:assert/strict";
import { test } from "node:test";
import { Rehearsal } from "../../Sources/gateway/Page/shell/rehearsal.js";
import { loginView } from "../../Sources/gateway/Page/login/loginview.js";
import { isLongEnough, isOnwards, LOOK_EVERY, NOTICE_STAYS } from "../../Sources/gateway/Page/login/loginforms.js";
import { modelWith, Page, SESSION } from "./samples.mjs";

const EMAIL = "ann@example.com";
const LIST = { screen: "list" };
const WAYS = { signUp: true, recovery: true };

/** A page without a session, at an address. */
function at(screen, features = WAYS) {
    const page = new Page();
    page.start({ route: { screen } });
    page.event.sessionEnded();
    if (features !== null) page.forms.featuresReceived(features, page.now);
    return page;
}

const view = (page) => loginView(page.model, page.now);
const go = (page, screen) => page.event.routed({ screen });
const type = (page, step, typed) => page.forms.typed(step, { isComplete: true, isSame: true, ...typed });
const send = (page, step, secrets = {}) => page.forms.sendAsked(step, secrets);

test("the order of the screens is login, sign-up, forgotten password, reset", () => {
    const steps = ["list", "signup", "forgot", "reset"].map((screen) => ({ screen }));
    for (const [index, from] of steps.entries()) {
        for (const [other, to] of steps.entries()) assert.equal(isOnwards(from, to), other > index);
    }
    assert.equal(isOnwards({ screen: "device", id: "1" }, { screen: "signup" }), true);
});

test("buttons lead to the next screens, and every way back is possible", () => {
    const page = at("list");
    assert.equal(page.model.screen, "login");
    assert.deepEqual(page.forms.moveAsked("signup"), [
        { do: "move", route: { screen: "signup" } },
    ]);
    assert.deepEqual(go(page, "signup"), [{ do: "features" }]);
    assert.equal(page.model.screen, "signup");
    go(page, "forgot");
    go(page, "signup");
    assert.equal(page.model.screen, "signup");
    go(page, "list");
    assert.equal(page.model.screen, "login");
});

test("moving on needs an established connection, and moving back does not", () => {
    const page = at("signup");
    page.event.onlineChanged(false);
    assert.equal(view(page).canMove, false);
    assert.equal(view(page).button, "You are offline");
    assert.deepEqual(page.forms.moveAsked("forgot"), []);
    const bounced = go(page, "forgot");
    assert.deepEqual(bounced, [{ do: "route", route: { screen: "signup" } }]);
    assert.equal(page.model.screen, "signup");
    go(page, "list");
    assert.equal(page.model.screen, "login");
    page.event.onlineChanged(true);
    assert.equal(view(page).canMove, true);
    go(page, "signup");
    assert.equal(page.model.screen, "signup");
});

test("buttons are disabled unless a rehearsed connection is established", () => {
    const page = new Page();
    page.model = modelWith({ rehearsal: new Rehearsal(7n) });
    page.start();
    page.event.sessionEnded();
    const seen = new Set();
    for (let step = 0; step < 200; step += 1) {
        page.wait(500);
        const state = page.model.connectionState;
        assert.equal(view(page).canMove, state === "established", state);
        const effects = page.forms.moveAsked("signup");
        assert.equal(effects.length, state === "established" ? 1 : 0);
        seen.add(state);
    }
    assert.deepEqual([...seen].sort(), ["connecting", "error", "established"]);
});

test("a sign-up needs an email, and the same password twice", () => {
    const page = at("signup");
    type(page, "signup", { email: "ann", isComplete: true });
    assert.equal(view(page).canSend, false);
    type(page, "signup", { email: EMAIL, isComplete: false });
    assert.equal(view(page).canSend, false);
    type(page, "signup", { email: EMAIL, isSame: false });
    assert.equal(view(page).canSend, false);
    assert.equal(view(page).error, "Passwords don’t match.");
    type(page, "signup", { email: EMAIL });
    assert.equal(view(page).canSend, true);
    assert.equal(view(page).error, "");
    assert.deepEqual(send(page, "signup", { password: "secret" }), [
        { do: "signUp", email: EMAIL, password: "secret" },
    ]);
    assert.deepEqual(send(page, "signup", { password: "secret" }), []);
});

test("after a sign-up the list is shown, for any address", () => {
    const page = at("signup");
    const effects = page.event.loggedIn(SESSION);
    assert.deepEqual(effects, [
        { do: "close" }, { do: "clear", owesLogout: false, spared: SESSION.email }, { do: "route", route: LIST }, { do: "open" },
    ]);
    assert.equal(page.model.screen, "list");
    assert.deepEqual(go(page, "signup"), [{ do: "route", route: LIST }]);
    assert.equal(page.model.screen, "list");
});

test("a disabled sign-up or reset shows so, with its button disabled", () => {
    const off = { signup: /Sign-up is disabled/, forgot: /Password reset is disabled/, reset: /Password reset is disabled/ };
    for (const [screen, hint] of Object.entries(off)) {
        const page = at(screen, { signUp: false, recovery: false });
        type(page, screen, { email: EMAIL });
        assert.match(view(page).hint, hint);
        assert.equal(view(page).canSend, false);
        assert.deepEqual(send(page, screen, { password: "secret" }), []);
        page.forms.featuresReceived(WAYS, page.now);
        assert.equal(view(page).canSend, true, screen);
    }
    const unknown = at("signup", null);
    type(unknown, "signup", { email: EMAIL });
    assert.equal(view(unknown).canSend, true);
});

test("a password reset asks only for the email, then shows the screen for the code", () => {
    const page = at("forgot");
    page.forms.typed("forgot", { email: EMAIL, isComplete: true, isSame: true });
    assert.deepEqual(send(page, "forgot"), [{ do: "forgot", email: EMAIL }]);
    assert.deepEqual(page.forms.resetCodeSent(), [
        { do: "move", route: { screen: "reset" } },
    ]);
    go(page, "reset");
    assert.equal(page.model.screen, "reset");
    assert.match(view(page).success, /If an account exists for this address/);
});

test("the email is shared between screens, and secrets are not", () => {
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

test("a code and a new password lead back to the login, with a confirmation and the email", () => {
    const page = at("reset");
    type(page, "reset", {});
    assert.deepEqual(send(page, "reset", { token: "ab", password: "another" }), [
        { do: "reset", token: "ab", password: "another" },
    ]);
    page.forms.sendFailed("reset", { message: "This code is invalid.", isLost: false });
    assert.equal(view(page).error, "This code is invalid.");
    assert.equal(view(page).canSend, true);
    const effects = page.event.passwordReset(EMAIL);
    assert.deepEqual(effects, [{ do: "route", route: LIST }]);
    assert.equal(page.model.screen, "login");
    assert.equal(view(page).email, EMAIL);
    assert.match(view(page).success, /Log in with the new one/);
});

test("login, sign-up and both reset steps show at once that the message was sent", () => {
    const sent = {
        list: ["login", { email: EMAIL }], signup: ["signup", { email: EMAIL }],
        forgot: ["forgot", { email: EMAIL }], reset: ["reset", {}],
    };
    for (const [screen, [step, typed]] of Object.entries(sent)) {
        const page = at(screen);
        page.wait(5_000);
        assert.notEqual(page.model.popup.view(page.now).text, "Message sent", screen);
        type(page, step, typed);
        assert.equal(send(page, step, { password: "secret" }).length, 1, screen);
        assert.equal(page.model.popup.view(page.now).text, "Message sent", screen);
    }
});

test("without a connection login screens send nothing and show no such message", () => {
    const page = at("forgot");
    page.event.onlineChanged(false);
    type(page, "forgot", { email: EMAIL });
    assert.deepEqual(send(page, "forgot"), []);
    page.wait(500);
    assert.equal(page.model.popup.view(page.now).text, "Connection error");
});

test("before a login the gateway is queried every five seconds, and its answer is shown for three", () => {
    for (const screen of ["list", "signup", "forgot", "reset"]) {
        const page = at(screen, null);
        assert.deepEqual(page.wait(500), [{ do: "features" }], screen);
        page.now += 12;
        page.forms.featuresReceived(WAYS, page.now);
        assert.equal(view(page).notice, "Connected: the gateway answered in 12 ms.", screen);
        page.wait(NOTICE_STAYS);
        assert.equal(view(page).notice, "", screen);
        assert.deepEqual(page.wait(LOOK_EVERY - NOTICE_STAYS), [{ do: "features" }], screen);
        assert.deepEqual(page.wait(20_000), [], "one request at a time");
        page.forms.featuresFailed(true);
        assert.equal(view(page).notice, "Connected, but the controller isn’t responding.", screen);
        assert.equal(view(page).canMove, true, screen);
    }
});

test("a gateway that does not answer the query is a missing connection until it answers", () => {
    const page = at("list", null);
    page.wait(500);
    page.forms.featuresFailed(false);
    assert.deepEqual([view(page).notice, view(page).button], ["", "You are offline"]);
    assert.deepEqual(page.wait(3_000), [{ do: "session" }]);
    page.event.sessionEnded();
    assert.deepEqual(page.wait(5_000), [{ do: "features" }]);
});

test("sign-up and password reset are offered once they are known to be enabled", () => {
    const page = at("list", null);
    assert.deepEqual(view(page).offered, []);
    page.forms.featuresReceived({ signUp: false, recovery: true }, page.now);
    assert.deepEqual(view(page).offered, ["forgot", "reset"]);
    page.forms.featuresReceived({ signUp: true, recovery: false }, page.now);
    assert.deepEqual(view(page).offered, ["signup"]);
});

test("a start without a connection and without stored data shows one sentence", () => {
    const page = new Page();
    page.start();
    page.event.sessionLost(false);
    assert.equal(page.model.screen, "login");
    assert.equal(view(page).hint, "You’re offline, and nothing is stored on this device yet.");
    page.event.sessionEnded();
    assert.equal(view(page).hint, "");
});

test("a chosen password has at least 8 bytes, in any characters", () => {
    for (const text of ["", "7 bytes", "ääa"]) assert.equal(isLongEnough(text), false, text);
    for (const text of ["8 bytes!", "ääää", "correct horse"]) assert.equal(isLongEnough(text), true, text);
});
