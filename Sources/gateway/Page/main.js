// The page: passes events with the time to the model, executes the model's effects, and draws the screens.

import { Gateway, LoggedOut, Lost, Refused } from "./common/gateway.js";
import { requestID } from "./common/requestid.js";
import { times } from "./common/times.js";
import { sessionFrom } from "./login/loginwire.js";
import { FEATURES } from "./shell/features.js";
import { Model } from "./shell/model.js";
import { ConnectionPopup, NoticesView } from "./shell/noticesview.js";
import { popupView } from "./shell/popup.js";
import { Rehearsal, seedIn } from "./shell/rehearsal.js";
import { Routes } from "./shell/routes.js";
import { Screens } from "./shell/screens.js";
import { Store } from "./shell/store.js";
import { SharedStream } from "./shell/stream.js";
import { storePage } from "./offline.js";

/** Milliseconds between ticks. */
const TICK = 500;

const seed = seedIn(location.search);
const rehearsal = seed === null ? null : new Rehearsal(seed);
const model = new Model({
    isOnline: navigator.onLine, isShown: !document.hidden, rehearsal, features: FEATURES,
    query: location.search,
});
const csrf = () => model.connection.session?.csrf ?? "";
const gateway = new Gateway(csrf);
const stream = new SharedStream();
const store = Store.inBrowser(FEATURES);
const notices = new NoticesView((id) => handle(() => model.notices.dismiss(id)));
const popup = new ConnectionPopup();
let cameFromParent = false;

/** What the features need of the page. @type {import("./common/feature.js").Page} */
const page = {
    model, gateway, store, times, attempt, handle, handleAtOnce,
    newID: (now) => requestID(now, crypto.getRandomValues(new Uint8Array(10))),
    back: (event) => {
        if (!cameFromParent) return;
        event.preventDefault();
        history.back();
    },
    entries: FEATURES.flatMap(({ entry = [] }) => entry),
};
const declared = FEATURES.flatMap((feature) => feature.screens);
const routes = new Routes(declared);
const screens = new Screens(document.getElementById("screens"), declared.map(({ make, ...screen }) =>
    ({ ...screen, depth: routes.depthOf(screen.name), screen: make(page) })));

/** The implementation of each effect of the model. */
const effects = Object.assign({
    session: () => attempt(gateway.get("/page/session", sessionFrom), {
        done: (session, now) => model.sessionCame(session, now),
        failed: (error, now) => model.sessionLost(error.isAnswer === true, now),
    }),
    move: ({ route }) => { location.hash = routes.hashOf(route); },
    logout: ({ csrf: token, requestIds }) => attempt(gateway.logOut(token, requestIds), {
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
    clear: ({ owesLogout, spared }) => {
        gateway.abandon();
        store.clear(owesLogout, spared);
    },
    storeService: ({ service }) =>
        store.storeService(service, model.email, model.services[service].dataToStore()),
    route: ({ route }) => history.replaceState(null, "", routes.hashOf(route)),
}, ...FEATURES.map((feature) => feature.effects?.(page)));

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
    if (model.screen !== "starting") screens.show(model.screen, model, now);
}

function routeChanged() {
    const route = routes.routeOf(location.hash);
    cameFromParent = routes.isParent(screens.name, route.screen);
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
    if (change?.email === model.email) handle(() => model.services.logbook.draftChangedElsewhere(change));
});
document.addEventListener("keydown", (event) => {
    const isSearch = event.key === "/" && screens.shown?.search !== undefined;
    if (!isSearch || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    screens.shown.search();
});
window.addEventListener("load", storePage);
setInterval(() => handle((now) => model.ticked(now)), TICK);
history.scrollRestoration = "manual";
handle((now) => model.started({
    stored: store.list(), services: store.services(), drafts: store.drafts(), commands: store.commands(),
    owesLogout: store.owesLogout, route: routes.routeOf(location.hash),
}, now));
