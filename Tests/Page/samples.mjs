// Values shared by tests, and a model with a clock that the test advances.

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

/** A model, the time, and its effects. */
export class Page {
    now = 1_000_000;
    /** Whether the gateway sends heartbeats. */
    hasBeats = true;
    model = modelWith();

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
            effects.push(...this.handle((model, now) => model.ticked(now)));
        }
        return effects;
    }

    /** The kinds of the effects of an event. */
    kinds(event) { return this.handle(event).map((effect) => effect.do); }

    start(initial = {}) {
        return this.handle((model, now) =>
            model.started({ stored: null, owesLogout: false, route: { screen: "list" }, ...initial }, now));
    }

    /** Logged in, the stream open, and these devices listed at position 7-10. */
    static live(devices = [row("1"), row("2")], session = SESSION) {
        const page = new Page();
        page.start();
        page.handle((model, now) => model.sessionCame(session, now));
        page.handle((model, now) => model.streamOpened({ isFresh: true }, now));
        page.list(devices, position(7, 10));
        return page;
    }

    list(devices, at) {
        return this.handle((model, now) =>
            model.fleet.listed({ position: at, isSettling: false, devices }, now));
    }

    change(at, devices, ids = []) {
        return this.handle((model, now) => model.fleet.changed({ position: at, devices, ids }, now));
    }

    toggle(id, requestId) {
        return this.handle((model, now) => model.fleet.toggleAsked(id, requestId, now))
            .filter((effect) => effect.do !== "storeCommand");
    }

    /** Presses a device's switch. @returns {object[]} Its effects, except those that store or remove data. */
    press(id, requestId) {
        return this.handle((model, now) => model.fleet.pressed(id, requestId, now))
            .filter((effect) => effect.do !== "storeCommand");
    }

    finish(ended) { return this.handle((model, now) => model.fleet.outcomeCame(ended, now)); }
}
