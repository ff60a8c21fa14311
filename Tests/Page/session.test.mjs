import assert from "node:assert/strict";
import { test } from "node:test";
import { loginView } from "../../Sources/gateway/Page/login/loginview.js";
import { looksLikeEmail } from "../../Sources/gateway/Page/login/loginforms.js";
import { kinds, Page, position, request, row, SESSION } from "./samples.mjs";

/** A page without a session. */
function loggedOut() {
    const page = new Page();
    page.start();
    page.event.sessionEnded();
    return page;
}

const view = (page) => loginView(page.model, page.now);
const button = (page) => view(page).button;
const type = (page, email, isComplete) => page.forms.typed("login", { email, isComplete, isSame: true });
const send = (page) => page.forms.sendAsked("login", { password: "secret" });

test("a login over another user's session gets its own stream and list", () => {
    const page = Page.live([row("1", { name: "demo's bedroom" })]);
    const eve = { ...SESSION, email: "eve@sensibus.local" };
    const done = kinds(page.event.loggedIn(eve));
    assert.ok(done.indexOf("close") >= 0 && done.indexOf("open") > done.indexOf("close"), done.join());
    assert.equal(page.model.fleet.devices.row("1"), undefined);
    assert.ok(kinds(page.event.streamOpened({ isFresh: true })).includes("list"));
});

test("the page first requests the session, and shows nothing until then", () => {
    const page = new Page();
    assert.deepEqual(page.start(), [{ do: "session" }]);
    assert.equal(page.model.screen, "starting");
    page.event.sessionEnded();
    assert.equal(page.model.screen, "login");
});

test("the login button is disabled without an email, a password or a connection", () => {
    const page = loggedOut();
    const canLogIn = (email, isFilled) => {
        type(page, email, isFilled);
        return view(page).canSend;
    };
    assert.equal(canLogIn("", false), false);
    assert.equal(canLogIn("demo@sensibus.local", false), false);
    assert.equal(canLogIn("demo", true), false);
    assert.equal(canLogIn("demo@sensibus.local", true), true);
    page.event.onlineChanged(false);
    assert.equal(view(page).canSend, false);
    assert.equal(button(page), "You are offline");
    page.event.onlineChanged(true);
    assert.equal(button(page), "Log in");
    assert.equal(view(page).canSend, true);
});

test("texts of the form of an email are recognized", () => {
    const emails = ["demo@sensibus.local", "a@b", "x.y+z@example.co.uk"];
    for (const text of emails) assert.ok(looksLikeEmail(text), text);
    for (const text of ["", "a", "@b", "a@", "a@.b", "a b@c", "a@b@c", `${"a".repeat(254)}@b`]) {
        assert.ok(!looksLikeEmail(text), text);
    }
});

test("a login in progress is not sent again, and its error is shown until the next one", () => {
    const page = loggedOut();
    type(page, "demo@sensibus.local", true);
    assert.deepEqual(send(page), [{ do: "login", email: "demo@sensibus.local", password: "secret" }]);
    assert.deepEqual(send(page), []);
    const common = { email: "demo@sensibus.local", hint: "", success: "", notice: "", offered: [] };
    assert.deepEqual(view(page), {
        ...common, button: "Logging in…", canSend: false, canMove: false, isBusy: true, error: "",
    });
    page.forms.sendFailed("login", { message: "wrong password", isLost: false });
    assert.deepEqual(view(page), {
        ...common, button: "Log in", canSend: true, canMove: true, isBusy: false, error: "wrong password",
    });
    send(page);
    assert.equal(view(page).error, "");
});

test("the model does not store the password", () => {
    const page = loggedOut();
    type(page, "demo@sensibus.local", true);
    assert.equal(send(page).length, 1);
    const { loginForms } = page.model;
    const known = ["login", "signup", "forgot", "reset"].map((step) => loginForms.form(step));
    assert.ok(!JSON.stringify([loginForms, known]).includes("secret"));
});

test("a gateway that does not answer is queried every three seconds, and typed text stays", () => {
    const page = loggedOut();
    type(page, "demo@sensibus.local", true);
    send(page);
    page.forms.sendFailed("login", { message: "", isLost: true });
    assert.equal(button(page), "You are offline");
    assert.deepEqual(page.wait(2_500), []);
    assert.deepEqual(page.wait(500), [{ do: "session" }]);
    page.event.sessionEnded();
    assert.equal(button(page), "Log in");
    assert.equal(view(page).email, "demo@sensibus.local");
});

test("after a login the list is shown, and the stream is opened", () => {
    const page = loggedOut();
    assert.deepEqual(kinds(page.event.loggedIn(SESSION)), ["close", "clear", "open"]);
    assert.equal(page.model.screen, "list");
});

test("a session that ends deletes all data, including the browser's", () => {
    const page = Page.live();
    page.event.routed({ screen: "device", id: "1" });
    const effects = page.event.sessionEnded();
    assert.deepEqual(effects, [
        { do: "close" }, { do: "clear", owesLogout: false, spared: null }, { do: "route", route: { screen: "list" } },
    ]);
    assert.equal(page.model.screen, "login");
    assert.equal(page.model.fleet.devices.size, 0);
    assert.equal(page.model.fleet.hasList, false);
    assert.equal(page.model.connection.session, null);
    assert.equal(view(page).error, "Your session has ended. Log in again.");
    assert.equal(page.model.email, "");
});

test("an address of a device is opened after the login", () => {
    const page = new Page();
    page.start({ route: { screen: "device", id: "1" } });
    page.event.sessionEnded();
    assert.equal(page.model.screen, "login");
    page.event.loggedIn(SESSION);
    assert.deepEqual(page.model.route, { screen: "device", id: "1" });
});

test("a logout deletes the data at once, even if the gateway does not answer", () => {
    const page = Page.live();
    const effects = page.event.logoutAsked();
    assert.deepEqual(kinds(effects), ["logout", "close", "clear", "route"]);
    assert.equal(effects[0].csrf, "c5rf");
    assert.equal(effects[2].owesLogout, true);
    assert.equal(page.model.fleet.devices.size, 0);
    page.event.logoutEnded(true);
    assert.deepEqual(page.wait(3_000), [{ do: "session" }]);
    assert.deepEqual(kinds(page.event.sessionCame(SESSION)), ["logout"]);
    assert.equal(page.model.screen, "login");
    const last = page.event.logoutEnded(false);
    assert.deepEqual(last, [{ do: "clear", owesLogout: false }]);
});

test("a page that starts with an unsent logout does not show the stored list", () => {
    const page = new Page();
    page.start({ stored: { email: "demo@sensibus.local", at: 1, devices: [row("1")] }, owesLogout: true });
    assert.equal(page.model.fleet.devices.size, 0);
    assert.deepEqual(kinds(page.event.sessionCame(SESSION)), ["logout"]);
});

test("a stored list is shown at once with its age, and nothing can be switched", () => {
    const page = Page.stored([row("1")], { age: 180_000 });
    page.event.sessionLost(false);
    assert.equal(page.model.screen, "list");
    const { tone, text, detail } = page.connection;
    assert.deepEqual([tone, text], ["bad", "Offline"]);
    assert.equal(detail, "The gateway isn’t responding. Showing the last known state (3 min ago).");
    assert.equal(page.model.fleet.canToggle(page.model.fleet.devices.row("1")), false);
    assert.deepEqual(page.toggle("1", "id"), []);
});

test("another user's stored list is deleted before anything is shown", () => {
    const page = new Page();
    page.start({ stored: { email: "other@sensibus.local", at: 1, devices: [row("9")] } });
    assert.deepEqual(kinds(page.event.sessionCame(SESSION)), ["close", "clear", "open"]);
    assert.equal(page.model.fleet.devices.size, 0);
    assert.equal(page.model.email, SESSION.email);
});

test("a gateway without a controller is not a missing connection", () => {
    const page = new Page();
    page.start();
    page.event.sessionLost(true);
    assert.equal(button(page), "Log in");
    assert.deepEqual(page.wait(3_000), [{ do: "features" }, { do: "session" }]);
});

test("a logout cancels pending toggles, also if the gateway receives it later", () => {
    const page = Page.live();
    page.toggle("1", request(1));
    page.toggle("2", request(2));
    const [logout] = page.event.logoutAsked().filter((effect) => effect.do === "logout");
    assert.deepEqual(logout, { do: "logout", csrf: "c5rf", requestIds: [request(1), request(2)] });
    page.event.logoutEnded(true);
    page.wait(3_000);
    const again = page.event.sessionCame({ ...SESSION, csrf: "other" });
    assert.deepEqual(again, [{ do: "logout", csrf: "other", requestIds: [request(1), request(2)] }]);
    page.event.logoutEnded(false);
    page.event.loggedIn(SESSION);
    page.event.streamOpened({ isFresh: true });
    page.list([row("1")], position(7, 10));
    assert.deepEqual(page.event.logoutAsked()[0].requestIds, []);
});
