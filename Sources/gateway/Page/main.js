// The page: passes events with the time to the model, executes the model's effects, and draws the screens.

import { deskEffects } from "./app/deskeffects.js";
import { DeviceScreen } from "./device/devicescreen.js";
import { NEW_POST } from "./logbook/drafts.js";
import { fleetEffects } from "./app/fleeteffects.js";
import { Gateway, LoggedOut, Lost, Refused } from "./app/gateway.js";
import { ListScreen } from "./list/listscreen.js";
import { LogbookScreen } from "./logbook/logbookscreen.js";
import { logbookView, postView } from "./logbook/logbookview.js";
import { Model } from "./app/model.js";
import { NoticesView } from "./app/noticesview.js";
import { storePage } from "./offline.js";
import { PostScreen } from "./logbook/postscreen.js";
import { Rehearsal, seedIn } from "./app/rehearsal.js";
import { requestID } from "./app/requestid.js";
import { intervalIn } from "./duty/roster.js";
import { RosterScreen } from "./duty/rosterscreen.js";
import { dutyView, rosterView } from "./duty/rosterview.js";
import { hashOf, LOGBOOK, PARENTS, routeOf } from "./app/route.js";
import { Screens } from "./app/screens.js";
import { sequenceView } from "./queue/sequencesview.js";
import { SiteScreen } from "./site/sitescreen.js";
import { SitesScreen } from "./site/sitesscreen.js";
import { sitesView, siteView } from "./site/sitesview.js";
import { ConnectionPopup } from "./app/status.js";
import { Store } from "./app/store.js";
import { SharedStream } from "./app/stream.js";
import { times } from "./common/times.js";
import { deviceView, listView, popupView, rowView, screenOf, wayInView } from "./app/viewmodel.js";
import { WayInScreen } from "./login/wayinscreen.js";

/** Milliseconds between ticks. */
const TICK = 500;

const seed = seedIn(location.search);
const rehearsal = seed === null ? null : new Rehearsal(seed);
const model = new Model({
    isOnline: navigator.onLine, isShown: !document.hidden, rehearsal,
    wishes: { rosterInterval: intervalIn(location.search) },
});
const gateway = new Gateway();
const stream = new SharedStream();
const store = Store.inBrowser();
const screens = new Screens(document.getElementById("screens"));
const notices = new NoticesView((id) => tell(() => model.notices.dismiss(id)));
const popup = new ConnectionPopup();
const newID = (now) => requestID(now, crypto.getRandomValues(new Uint8Array(10)));
const press = (id) => tell((now) => model.fleet.pressed(id, newID(now), now));
const sendPost = (post) => tell((now) => model.logbook.sendAsked(post, newID(now)));
let cameFromParent = false;
const back = (event) => {
    if (!cameFromParent) return;
    event.preventDefault();
    history.back();
};

/** The screens for log-in, sign-up and password reset. */
const wayIn = {};
for (const step of ["login", "signup", "forgot", "reset"]) {
    wayIn[step] = new WayInScreen(step, {
        typed: (typed) => tellAtOnce(() => model.wayIn.typed(step, typed)),
        submitted: (secrets) => tell((now) => model.wayIn.sendAsked(step, secrets, now)),
        moved: (screen) => tell(() => model.wayIn.moveAsked(screen)),
        back,
    });
}
const list = new ListScreen({
    toggle: press,
    refresh: () => tell(() => {
        model.fleet.refreshAsked();
        model.desk.roster.refreshAsked();
    }),
    logOut: () => tell(() => model.logoutAsked()),
    filter: (text) => tellAtOnce(() => model.filterTyped(text)),
    choose: (id) => tellAtOnce(() => model.sequences.choose(id)),
    send: (target) => tell((now) => model.sequences.sendAsked(newID(now), target, now)),
    steer: (kind) => tell((now) => model.sequences.steerAsked(kind, now)),
}, times);
const device = new DeviceScreen({
    toggle: () => press(model.route.id),
    cancel: () => tell(() => model.fleet.cancelAsked(model.route.id)),
    back,
}, times);
const logbook = new LogbookScreen({
    refresh: () => tell(() => model.logbook.list()),
    older: () => tell(() => model.logbook.olderAsked()),
    typed: (texts) => tellAtOnce(() => model.logbook.typed(NEW_POST, texts)),
    sent: () => sendPost(NEW_POST),
    dropped: () => {
        // A reload of the page must not restore the subject.
        history.replaceState(null, "", hashOf(LOGBOOK));
        tell(() => model.logbook.about({}));
    },
    back,
});
const post = new PostScreen({
    opened: (isOpen) => tell(() => model.logbook.commentsAsked(isOpen)),
    typed: ({ body }) => tellAtOnce(() => model.logbook.typed(model.route.number, { body })),
    sent: () => sendPost(model.route.number),
    back,
}, times);

const sites = new SitesScreen({ refresh: () => tell(() => model.sites.list()), back });
const site = new SiteScreen({ refresh: () => tell(() => model.sites.read()), back });
const roster = new RosterScreen({ refresh: () => tell(() => model.desk.roster.refreshAsked()), back }, times);

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
    forgot: ({ email }) => send("forgot", gateway.forgot(email), () => model.wayIn.recoveryBegun()),
    reset: ({ token, password }) => send("reset", gateway.reset(token, password), (email) =>
        model.passwordReset(email)),
    ways: () => attempt(gateway.ways(), {
        done: (ways, now) => model.wayIn.waysCame(ways, now),
        ended: (_, now) => model.wayIn.waysLost(true, now),
        failed: (error, now) =>
            model.wayIn.waysLost(error.isAnswer === true || error instanceof Refused, now),
    }),
    move: ({ route }) => { location.hash = hashOf(route); },
    logout: ({ csrf, requestIds }) => attempt(gateway.logOut(csrf, requestIds), {
        done: (_, now) => model.logoutEnded(false, now),
        failed: (error, now) => model.logoutEnded(error instanceof Lost, now),
    }),
    open: ({ takesOver = false }) => stream.listen(csrf(), takesOver, {
        opened: (isFresh) => tell((now) => model.streamOpened({ isFresh }, now)),
        broke: (isOver) => tell((now) => model.streamBroke({ isOver }, now)),
        heard: () => tell((now) => model.beatHeard(now)),
        changed: (word) => tell((now) => model.fleet.changed(word, now)),
        ended: (outcome) => tell((now) => model.fleet.outcomeCame(outcome, now)),
        controller: (isConnected) => tell(() => model.controllerChanged(isConnected)),
        resync: (position) => tell(() => model.fleet.list(position)),
    }),
    close: () => stream.close(),
    keep: ({ email, at }) => store.keep(email, at, [...model.fleet.devices.rows()]),
    forget: ({ owesLogout, spared }) => {
        gateway.abandon();
        store.forget(owesLogout, spared);
    },
    keepCommand: ({ command }) => store.keepCommand(model.email, command),
    dropCommand: ({ requestId }) => store.dropCommand(requestId),
    route: ({ route }) => history.replaceState(null, "", hashOf(route)),
    ...fleetEffects({ model, gateway, attempt, csrf }),
    ...deskEffects({ model, gateway, store, attempt, csrf }),
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
    if (isOfThisSession) tell(then);
}

/** Sends the form of a log-in screen. */
function send(step, answer, done) {
    return attempt(answer, {
        done,
        ended: (words, now) => model.wayIn.sendFailed(step, { words, isLost: false }, now),
        failed: (error, now) => {
            const isLost = error instanceof Lost && !error.isAnswer;
            model.wayIn.sendFailed(step, { words: isLost ? "" : error.message, isLost }, now);
        },
    });
}

/** Passes an event to the model, executes its effects, and draws the screen in the next frame. */
function tell(event) {
    take(event);
    draw();
}

/** The same for a key, drawn at once, because the next key applies to the new screen. */
function tellAtOnce(event) {
    take(event);
    drawNow(Date.now());
}

function take(event) {
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
    const name = screenOf(model);
    if (name === "starting") return;
    const before = screens.shown;
    screens.show({ ...wayIn, list, device, logbook, post, sites, site, roster }[name]);
    wayIn[name]?.draw(wayInView(model, now));
    if (name === "list") {
        const view = { ...listView(model, now), duty: dutyView(model, now) };
        list.draw(view, (id) => rowView(model, id, now), now);
        list.sequence.draw(sequenceView(model, now));
    }
    if (name === "roster") roster.draw(rosterView(model, now), now);
    if (name === "logbook") logbook.draw(logbookView(model, now));
    let title = "Sensibus";
    if (name === "device") {
        const view = deviceView(model, now);
        device.draw(view, now);
        if (view.isThere) title = `${view.name} – Sensibus`;
    }
    if (name === "post") {
        const view = postView(model, now);
        post.draw(view);
        if (view.isThere) title = `${view.title} – Sensibus`;
    }
    if (name === "sites") sites.draw(sitesView(model, now));
    if (name === "site") {
        const view = siteView(model, now);
        site.draw(view);
        if (view.isThere) title = `${view.name} – Sensibus`;
    }
    if (document.title !== title) document.title = title;
    screens.settle(before);
}

function csrf() { return model.connection.session?.csrf ?? ""; }

function routeChanged() {
    const route = routeOf(location.hash);
    cameFromParent = PARENTS[route.screen]?.includes(screens.shown?.name) === true;
    tellAtOnce(() => model.routed(route));
}

notices.element.append(popup.element);
document.body.append(notices.element);
window.addEventListener("hashchange", routeChanged);
window.addEventListener("online", () => tell((now) => model.onlineChanged(true, now)));
window.addEventListener("offline", () => tell((now) => model.onlineChanged(false, now)));
document.addEventListener("visibilitychange", () =>
    tell((now) => model.shownChanged(!document.hidden, now)));
window.addEventListener("scroll", draw, { passive: true });
window.addEventListener("resize", draw, { passive: true });
window.addEventListener("pagehide", () => tell((now) => {
    model.fleet.keep(now);
    for (const room of Object.values(model.desk)) room.keep();
}));
window.addEventListener("storage", (event) => {
    if (Store.isForgetting(event)) tell(() => model.forgottenElsewhere(store.owesLogout));
    const change = Store.draftIn(event);
    if (change?.email === model.email) tell(() => model.logbook.draftChangedElsewhere(change));
});
document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || screens.shown !== list) return;
    if (event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    list.search();
});
window.addEventListener("load", storePage);
setInterval(() => tell((now) => model.ticked(now)), TICK);
history.scrollRestoration = "manual";
tell((now) => model.started({
    kept: store.list(), desk: store.desk(), drafts: store.drafts(), commands: store.commands(),
    owesLogout: store.owesLogout, route: routeOf(location.hash),
}, now));
