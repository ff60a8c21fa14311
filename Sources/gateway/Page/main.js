// The page: passes events with the time to the model, executes the model's effects, and draws the screens.

import { requestID } from "./common/requestid.js";
import { hashOf, LOGBOOK, PARENTS, routeOf } from "./common/route.js";
import { times } from "./common/times.js";
import { DeviceScreen } from "./device/devicescreen.js";
import { deviceView } from "./device/deviceview.js";
import { intervalIn } from "./duty/roster.js";
import { RosterScreen } from "./duty/rosterscreen.js";
import { dutyView, rosterView } from "./duty/rosterview.js";
import { LoginScreen } from "./login/loginscreen.js";
import { loginView } from "./login/loginview.js";
import { NEW_POST } from "./logbook/drafts.js";
import { LogbookScreen } from "./logbook/logbookscreen.js";
import { logbookView, postView } from "./logbook/logbookview.js";
import { PostScreen } from "./logbook/postscreen.js";
import { queueView } from "./queue/queuesview.js";
import { SiteScreen } from "./site/sitescreen.js";
import { SitesScreen } from "./site/sitesscreen.js";
import { sitesView, siteView } from "./site/sitesview.js";
import { ListScreen } from "./list/listscreen.js";
import { listView, rowView } from "./list/listview.js";
import { fleetEffects } from "./shell/fleeteffects.js";
import { Gateway, LoggedOut, Lost, Refused } from "./shell/gateway.js";
import { Model } from "./shell/model.js";
import { ConnectionPopup, NoticesView } from "./shell/noticesview.js";
import { popupView } from "./shell/popup.js";
import { Rehearsal, seedIn } from "./shell/rehearsal.js";
import { Screens } from "./shell/screens.js";
import { serviceEffects } from "./shell/serviceeffects.js";
import { Store } from "./shell/store.js";
import { SharedStream } from "./shell/stream.js";
import { storePage } from "./offline.js";

/** Milliseconds between ticks. */
const TICK = 500;

const seed = seedIn(location.search);
const rehearsal = seed === null ? null : new Rehearsal(seed);
const model = new Model({
    isOnline: navigator.onLine, isShown: !document.hidden, rehearsal,
    options: { rosterInterval: intervalIn(location.search) },
});
const gateway = new Gateway();
const stream = new SharedStream();
const store = Store.inBrowser();
const screens = new Screens(document.getElementById("screens"));
const notices = new NoticesView((id) => handle(() => model.notices.dismiss(id)));
const popup = new ConnectionPopup();
const newID = (now) => requestID(now, crypto.getRandomValues(new Uint8Array(10)));
const press = (id) => handle((now) => model.fleet.pressed(id, newID(now), now));
const sendPost = (post) => handle((now) => model.logbook.sendAsked(post, newID(now)));
let cameFromParent = false;
const back = (event) => {
    if (!cameFromParent) return;
    event.preventDefault();
    history.back();
};

/** The screens for log-in, sign-up and password reset. */
const loginForms = {};
for (const step of ["login", "signup", "forgot", "reset"]) {
    loginForms[step] = new LoginScreen(step, {
        typed: (typed) => handleAtOnce(() => model.loginForms.typed(step, typed)),
        submitted: (secrets) => handle((now) => model.loginForms.sendAsked(step, secrets, now)),
        moved: (screen) => handle(() => model.loginForms.moveAsked(screen)),
        back,
    });
}
const list = new ListScreen({
    toggle: press,
    refresh: () => handle(() => {
        model.fleet.refreshAsked();
        model.services.roster.refreshAsked();
    }),
    logOut: () => handle(() => model.logoutAsked()),
    filter: (text) => handleAtOnce(() => model.filterTyped(text)),
    choose: (id) => handleAtOnce(() => model.queues.choose(id)),
    send: (target) => handle((now) => model.queues.sendAsked(newID(now), target, now)),
    steer: (kind) => handle((now) => model.queues.steerAsked(kind, now)),
}, times);
const device = new DeviceScreen({
    toggle: () => press(model.route.id),
    cancel: () => handle(() => model.fleet.cancelAsked(model.route.id)),
    back,
}, times);
const logbook = new LogbookScreen({
    refresh: () => handle(() => model.logbook.list()),
    older: () => handle(() => model.logbook.olderAsked()),
    typed: (texts) => handleAtOnce(() => model.logbook.typed(NEW_POST, texts)),
    sent: () => sendPost(NEW_POST),
    dropped: () => {
        // A reload of the page must not restore the subject.
        history.replaceState(null, "", hashOf(LOGBOOK));
        handle(() => model.logbook.about({}));
    },
    back,
});
const post = new PostScreen({
    opened: (isOpen) => handle(() => model.logbook.commentsAsked(isOpen)),
    typed: ({ body }) => handleAtOnce(() => model.logbook.typed(model.route.number, { body })),
    sent: () => sendPost(model.route.number),
    back,
}, times);

const sites = new SitesScreen({ refresh: () => handle(() => model.sites.list()), back });
const site = new SiteScreen({ refresh: () => handle(() => model.sites.read()), back });
const roster = new RosterScreen({
    refresh: () => handle(() => model.services.roster.refreshAsked()),
    back,
}, times);

/** The implementation of each effect of the model. */
const effects = {
    session: () => attempt(gateway.session(), {
        done: (session, now) => model.sessionCame(session, now),
        failed: (error, now) => model.sessionLost(error.isAnswer === true, now),
    }),
    login: ({ email, password }) => send("login", gateway.logIn(email, password), (session, now) =>
        model.loggedIn(session, now)),
    signUp: ({ email, password }) => send("signup", gateway.signUp(email, password), (session, now) =>
        model.loggedIn(session, now)),
    forgot: ({ email }) => send("forgot", gateway.forgot(email), () => model.loginForms.resetCodeSent()),
    reset: ({ token, password }) => send("reset", gateway.reset(token, password), (email) =>
        model.passwordReset(email)),
    features: () => attempt(gateway.features(), {
        done: (features, now) => model.loginForms.featuresReceived(features, now),
        ended: (_, now) => model.loginForms.featuresFailed(true, now),
        failed: (error, now) =>
            model.loginForms.featuresFailed(error.isAnswer === true || error instanceof Refused, now),
    }),
    move: ({ route }) => { location.hash = hashOf(route); },
    logout: ({ csrf, requestIds }) => attempt(gateway.logOut(csrf, requestIds), {
        done: (_, now) => model.logoutEnded(false, now),
        failed: (error, now) => model.logoutEnded(error instanceof Lost, now),
    }),
    open: ({ stealsLock = false }) => stream.listen(csrf(), stealsLock, {
        opened: (isFresh) => handle((now) => model.streamOpened({ isFresh }, now)),
        broke: (isOver) => handle((now) => model.streamBroke({ isOver }, now)),
        received: () => handle((now) => model.messageReceived(now)),
        changed: (update) => handle((now) => model.fleet.changed(update, now)),
        ended: (outcome) => handle((now) => model.fleet.outcomeCame(outcome, now)),
        controller: (isConnected) => handle(() => model.controllerChanged(isConnected)),
        resync: (position) => handle(() => model.fleet.list(position)),
    }),
    close: () => stream.close(),
    store: ({ email, at }) => store.storeList(email, at, [...model.fleet.devices.rows()]),
    clear: ({ owesLogout, spared }) => {
        gateway.abandon();
        store.clear(owesLogout, spared);
    },
    storeCommand: ({ command }) => store.storeCommand(model.email, command),
    dropCommand: ({ requestId }) => store.dropCommand(requestId),
    route: ({ route }) => history.replaceState(null, "", hashOf(route)),
    ...fleetEffects({ model, gateway, attempt, csrf }),
    ...serviceEffects({ model, gateway, store, attempt, csrf }),
};

/** Waits for an answer and passes it to the model, or the end of the session. */
async function attempt(answer, { done, failed, ended }) {
    const fleet = model.fleet;
    let then;
    try {
        const value = await answer;
        then = (now) => done(value, now);
    } catch (error) {
        if (!(error instanceof Lost || error instanceof LoggedOut || error instanceof Refused)) throw error;
        then = (now) => {
            if (!(error instanceof LoggedOut)) failed(error, now);
            else if (ended !== undefined) ended(error.message, now);
            else model.sessionEnded();
        };
    }
    const isOfThisSession = fleet === model.fleet;
    if (isOfThisSession) handle(then);
}

/** Sends the form of a log-in screen. */
function send(step, answer, done) {
    return attempt(answer, {
        done,
        ended: (message, now) => model.loginForms.sendFailed(step, { message, isLost: false }, now),
        failed: (error, now) => {
            const isLost = error instanceof Lost && !error.isAnswer;
            model.loginForms.sendFailed(step, { message: isLost ? "" : error.message, isLost }, now);
        },
    });
}

/** Passes an event to the model, executes its effects, and draws the screen in the next frame. */
function handle(event) {
    apply(event);
    draw();
}

/** The same for a key, drawn at once, because the next key applies to the new screen. */
function handleAtOnce(event) {
    apply(event);
    drawNow(Date.now());
}

function apply(event) {
    event(Date.now());
    for (const effect of model.drain()) effects[effect.do](effect);
}

let isDue = false;

function draw() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
        isDue = false;
        drawNow(Date.now());
    });
}

function drawNow(now) {
    notices.draw(model.notices.all);
    popup.draw(popupView(model, now));
    const name = model.screen;
    if (name === "starting") return;
    const before = screens.shown;
    screens.show({ ...loginForms, list, device, logbook, post, sites, site, roster }[name]);
    loginForms[name]?.draw(loginView(model, now));
    if (name === "list") {
        const view = { ...listView(model, now), duty: dutyView(model, now) };
        list.draw(view, (id) => rowView(model, id, now), now);
        list.queue.draw(queueView(model, now));
    }
    if (name === "roster") roster.draw(rosterView(model, now), now);
    if (name === "logbook") logbook.draw(logbookView(model, now));
    let title = "Sensibus";
    if (name === "device") {
        const view = deviceView(model, now);
        device.draw(view, now);
        if (view.isKnown) title = `${view.name} – Sensibus`;
    }
    if (name === "post") {
        const view = postView(model, now);
        post.draw(view);
        if (view.isKnown) title = `${view.title} – Sensibus`;
    }
    if (name === "sites") sites.draw(sitesView(model, now));
    if (name === "site") {
        const view = siteView(model, now);
        site.draw(view);
        if (view.isKnown) title = `${view.name} – Sensibus`;
    }
    if (document.title !== title) document.title = title;
    screens.settle(before);
}

function csrf() { return model.connection.session?.csrf ?? ""; }

function routeChanged() {
    const route = routeOf(location.hash);
    cameFromParent = PARENTS[route.screen]?.includes(screens.shown?.name) === true;
    handleAtOnce(() => model.routed(route));
}

notices.element.append(popup.element);
document.body.append(notices.element);
window.addEventListener("hashchange", routeChanged);
window.addEventListener("online", () => handle((now) => model.onlineChanged(true, now)));
window.addEventListener("offline", () => handle((now) => model.onlineChanged(false, now)));
document.addEventListener("visibilitychange", () =>
    handle((now) => model.shownChanged(!document.hidden, now)));
window.addEventListener("scroll", draw, { passive: true });
window.addEventListener("resize", draw, { passive: true });
window.addEventListener("pagehide", () => handle((now) => {
    model.fleet.store(now);
    for (const service of Object.values(model.services)) service.store();
}));
window.addEventListener("storage", (event) => {
    if (Store.isClearing(event)) handle(() => model.clearedElsewhere(store.owesLogout));
    const change = Store.draftIn(event);
    if (change?.email === model.email) handle(() => model.logbook.draftChangedElsewhere(change));
});
document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || screens.shown !== list) return;
    if (event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    list.search();
});
window.addEventListener("load", storePage);
setInterval(() => handle((now) => model.ticked(now)), TICK);
history.scrollRestoration = "manual";
handle((now) => model.started({
    stored: store.list(), services: store.services(), drafts: store.drafts(), commands: store.commands(),
    owesLogout: store.owesLogout, route: routeOf(location.hash),
}, now));
