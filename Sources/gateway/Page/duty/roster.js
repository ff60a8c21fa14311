// The account's roster: the shifts, and the message of the day. Pure: times are parameters, effects are
// results.

import { isOnDuty } from "./shifts.js";

/** The default milliseconds between two loads. */
export const USUAL_INTERVAL = 500_000;
/** The delays in milliseconds before the first, second and third retry. */
export const RETRIES = [1_000, 4_000, 10_000];

/** The allowed seconds between two loads in an address. */
const ALLOWED_SECONDS = [5, 86_400];

/** The milliseconds between loads in a page's query, `?roster=60`; the default without one. */
export function intervalIn(query) {
    const text = new URLSearchParams(query).get("roster") ?? "";
    const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    const [least, most] = ALLOWED_SECONDS;
    return seconds >= least && seconds <= most ? seconds * 1_000 : USUAL_INTERVAL;
}

export class Roster {
    /** @type {ReturnType<typeof import("./rosterwire.js").rosterFrom>} Null before the first load. */
    known = null;
    /** When it was last known to be current, in milliseconds since 1970. */
    asOf = 0;
    isLoading = false;
    /** Why it could not be loaded, after all retries; empty without an error. */
    error = "";

    #connection;
    #do;
    #interval;
    /** Whether the user requested a load while one was pending, whose answer may be older. */
    #isWantedAgain = false;
    #failures = 0;
    /** The time of the next load; null before the first. */
    #dueAt = null;

    /**
     * @param {import("../common/connection.js").Connection} connection
     * @param {(effect: {do: string}) => void} perform Performs an effect.
     * @param {number} interval Milliseconds between two loads.
     */
    constructor(connection, perform, interval = USUAL_INTERVAL) {
        this.#connection = connection;
        this.#do = perform;
        this.#interval = interval;
    }

    restore({ at, roster }) { Object.assign(this, { asOf: at, known: roster }); }

    /** Loads the roster when any screen is shown, because the first screen needs it. */
    opened() {
        if (this.#connection.isLive && !this.isLoading && this.#dueAt === null) this.#load();
    }

    /** Loads the roster if it is due, and updates whether the user is off duty. */
    ticked(now) {
        this.#connection.isOffDuty = this.#computeOffDuty(now);
        const isDue = this.#dueAt !== null && this.#dueAt <= now;
        if (this.#connection.isLive && !this.isLoading && isDue) this.#load();
    }

    refreshAsked() {
        if (!this.#connection.isLive) return;
        this.#failures = 0;
        if (this.isLoading) this.#isWantedAgain = true;
        else this.#load();
    }

    came(roster, now) {
        Object.assign(this, { known: roster, asOf: now, isLoading: false, error: "" });
        this.#failures = 0;
        this.#dueAt = now + (this.#isWantedAgain ? 0 : this.#interval);
        this.store();
        this.ticked(now);
    }

    /** A load failed; the known roster stays. */
    failed(message, now) {
        this.isLoading = false;
        const pause = RETRIES[this.#failures];
        this.#failures = pause === undefined ? 0 : this.#failures + 1;
        this.#dueAt = now + (pause ?? this.#interval);
        if (pause === undefined) this.error = message;
    }

    /** Stores the roster, to be shown without a connection. */
    store() {
        if (this.known !== null && this.#connection.session !== null) {
            this.#do({ do: "storeService", service: "roster" });
        }
    }

    dataToStore() { return { at: this.asOf, roster: this.known }; }

    /** Whether this user, a member, may not switch devices now, because only people on duty may. */
    #computeOffDuty(now) {
        const { session } = this.#connection;
        if (this.known?.isEnforced !== true || session === null || session.role === "owner") return false;
        return !isOnDuty(this.known.shifts, session.email, now);
    }

    #load() {
        this.isLoading = true;
        this.#isWantedAgain = false;
        this.#do({ do: "roster" });
    }
}
