// Values shared by tests, and a model with a clock that the test advances.

import { connectionView } from "../../Sources/gateway/Page/common/connectionview.js";
import { rowView } from "../../Sources/gateway/Page/list/listview.js";
import { FEATURES } from "../../Sources/gateway/Page/shell/features.js";
import { Model } from "../../Sources/gateway/Page/shell/model.js";
import { Routes } from "../../Sources/gateway/Page/shell/routes.js";
import { Store } from "../../Sources/gateway/Page/shell/store.js";

export const ROUTES = new Routes(FEATURES.flatMap((feature) => feature.screens));
/** The route that an address names, and its address. */
export const routeOf = (hash) => ROUTES.routeOf(hash);
export const hashOf = (route) => ROUTES.hashOf(route);

export const SESSION = { email: "demo@sensibus.local", role: "owner", account: "demo", csrf: "c5rf" };

/** A device's incarnation, in a row. */
export const INCARNATION = "00000000000000a1";

/** A row as the gateway sends it. */
export function row(id, other = {}) {
    return {
        id, name: `Bedroom ${id}`, site: "Home", model: "skyv2", node: "node-1", on: false, mode: "cool",
        targetTemperature: 22, unit: "C", fanLevel: "auto", incarnation: INCARNATION,
        version: 1, presence: "online", presenceReason: "", since: 1_000,
        temperature: 21.5, feelsLike: 21.4, humidity: 45, asOf: 1_000, ...other,
    };
}

export function position(epoch, sequence) {
    return { epoch: BigInt(epoch), sequence: BigInt(sequence) };
}

/** The request ID of a number. */
export function request(number) {
    return `00000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** The state of a row, in a reply. */
export function state(other = {}) {
    const { on, mode, targetTemperature, unit, fanLevel, incarnation, version } = row("1", other);
    return { on, mode, targetTemperature, unit, fanLevel, incarnation, version };
}

export function outcome(requestId, kind, other = {}) {
    const message = `${kind}, in words`;
    return { requestId, device: null, kind, message, actor: "", at: 0, latencyMicroseconds: 1, ...other };
}

/** A browser's storage, with room for that many characters in total. */
export function storage(capacity = Infinity) {
    const stored = new Map();
    return {
        get length() { return stored.size; },
        key: (index) => [...stored.keys()][index] ?? null,
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, value) => {
            const others = [...stored].filter(([other]) => other !== key);
            const used = others.reduce((sum, [, text]) => sum + text.length, value.length);
            if (used > capacity) throw new Error("full");
            stored.set(key, value);
        },
        removeItem: (key) => stored.delete(key),
    };
}

/** The data of all features in a browser's storage. */
export function storeIn(place) { return new Store(place, FEATURES); }

/** A model with all features. */
export function modelWith(surroundings = {}) { return new Model({ isOnline: true, features: FEATURES, ...surroundings }); }

/** The kinds of effects. */
export function kinds(effects) { return effects.map((effect) => effect.do); }

/**
 * A part of a page's model, for its events: each is passed on at the page's time, and results in its effects.
 *
 * The time is the event's last argument, if it has one.
 */
function events(page, partOf) {
    const pass = (name, values) => page.handle((model, now) => {
        const part = partOf(model);
        part[name](...values, ...(part[name].length > values.length ? [now] : []));
    });
    return new Proxy({}, { get: (_, name) => (...values) => pass(name, values) });
}

/** A model, the time, and its effects. */
export class Page {
    now = 1_000_000;
    /** Whether the gateway sends heartbeats. */
    hasBeats = true;
    model = modelWith();
    event = events(this, (model) => model);
    fleet = events(this, (model) => model.fleet);
    past = events(this, (model) => model.fleet.past);
    forms = events(this, (model) => model.loginForms);
    logbook = events(this, (model) => model.services.logbook);
    queues = events(this, (model) => model.services.queues);
    roster = events(this, (model) => model.services.roster);
    sites = events(this, (model) => model.services.sites);

    /** The connection as the page shows it. */
    get connection() { return connectionView(this.model, this.now); }

    /** The reports that the page shows. */
    get notices() { return this.model.notices.all.map(({ tone, text }) => [tone, text]); }

    /** A device's row as the page shows it. */
    rowView(id) { return rowView(this.model, id, this.now); }

    /** Passes an event to the model at this time. @returns {object[]} Its effects. */
    handle(event) {
        event(this.model, this.now);
        return this.model.drain();
    }

    /** Advances the time in steps of half a second, as the page does. @returns {object[]} All effects. */
    wait(milliseconds) {
        const effects = [];
        for (const end = this.now + milliseconds; this.now < end;) {
            this.now = Math.min(end, this.now + 500);
            if (this.hasBeats && this.model.connection.stream === "open") this.model.messageReceived(this.now);
            effects.push(...this.event.ticked());
        }
        return effects;
    }

    start(initial = {}) {
        return this.event.started({ stored: null, owesLogout: false, route: { screen: "list" }, ...initial });
    }

    /** A page that starts with these stored devices, which the gateway listed so many milliseconds ago. */
    static stored(devices, { age = 0, ...initial } = {}) {
        const page = new Page();
        page.start({ stored: { email: SESSION.email, at: page.now - age, devices }, ...initial });
        return page;
    }

    /** Logged in, with the stream open. @returns {object[]} The effects of the opened stream. */
    enter(session = SESSION) {
        this.event.sessionCame(session);
        return this.event.streamOpened({ isFresh: true });
    }

    /** Logged in, the stream open, and these devices listed at position 7-10. */
    static live(devices = [row("1"), row("2")], session = SESSION) {
        const page = new Page();
        page.start();
        page.enter(session);
        page.list(devices, position(7, 10));
        return page;
    }

    /** A page with one device on another screen, with the requests of that screen. */
    static at(route, session = SESSION) {
        const page = Page.live([row("1")], session);
        return { page, asked: page.event.routed(route) };
    }

    list(devices, at) { return this.fleet.listed({ position: at, isSettling: false, devices }); }

    change(at, devices, ids = []) { return this.fleet.changed({ position: at, devices, ids }); }

    toggle(id, requestId) {
        return this.fleet.toggleAsked(id, requestId).filter((effect) => effect.do !== "storeCommand");
    }

    /** Presses a device's switch. @returns {object[]} Its effects, except those that store or remove data. */
    press(id, requestId) {
        return this.fleet.pressed(id, requestId).filter((effect) => effect.do !== "storeCommand");
    }

    finish(ended) { return this.fleet.outcomeCame(ended); }
}
