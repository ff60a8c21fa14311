// The account's roster: who is on duty when, and the message of the day. Pure: times are handed in, effects
// come out.

import { isOnDuty } from "./shifts.js";

/** Milliseconds from one loading to the next, where nothing else is said. */
export const USUAL_INTERVAL = 500_000;
/** Milliseconds after which it is asked for again when that failed, the first time and the others. */
export const RETRIES = [1_000, 4_000, 10_000];

/** Seconds from one loading to the next that an address may name. */
const ALLOWED_SECONDS = [5, 86_400];

/** Milliseconds between loadings as a page's query has it, `?roster=60`; the usual where it has none. */
export function intervalIn(query) {
    const words = new URLSearchParams(query).get("roster") ?? "";
    const seconds = /^\d{1,5}$/.test(words) ? Number(words) : 0;
    const [least, most] = ALLOWED_SECONDS;
    return seconds >= least && seconds <= most ? seconds * 1_000 : USUAL_INTERVAL;
}

export class Roster {
    /** @type {ReturnType<typeof import("./rosterwire.js").rosterFrom>} Null where it was never read. */
    known = null;
    /** When that was known to be right, in milliseconds since 1970. */
    asOf = 0;
    /** Whether an answer is awaited. */
    isLoading = false;
    /** Why it could not be read, once that was tried often enough; empty where it could. */
    error = "";

    #connection;
    #do;
    #interval;
    /** Whether somebody wanted it anew while an answer was on its way that may be of before. */
    #isWantedAgain = false;
    /** How often it failed in a row. */
    #failures = 0;
    /** When it is to be asked for again; null where it never was. */
    #dueAt = null;

    /**
     * @param {import("../app/connection.js").Connection} connection
     * @param {(effect: import("../app/model.js").Effect) => void} perform Takes each effect.
     * @param {number} interval Milliseconds from one loading to the next.
     */
    constructor(connection, perform, interval = USUAL_INTERVAL) {
        this.#connection = connection;
        this.#do = perform;
        this.#interval = interval;
    }

    /** What was kept from another time. */
    recall({ at, roster }) { Object.assign(this, { asOf: at, known: roster }); }

    /** Whatever screen is shown: who is on duty stands on the first of them. */
    opened() {
        if (this.#connection.isLive && !this.isLoading && this.#dueAt === null) this.#load();
    }

    /** Time goes by. */
    ticked(now) {
        this.#connection.isOffDuty = this.#keepsOff(now);
        const isDue = this.#dueAt !== null && this.#dueAt <= now;
        if (this.#connection.isLive && !this.isLoading && isDue) this.#load();
    }

    /** Somebody wants it as it is now. */
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
        this.keep();
        this.ticked(now);
    }

    /** What is there stays. */
    failed(words, now) {
        this.isLoading = false;
        const pause = RETRIES[this.#failures];
        this.#failures = pause === undefined ? 0 : this.#failures + 1;
        this.#dueAt = now + (pause ?? this.#interval);
        if (pause === undefined) this.error = words;
    }

    /** Has it kept for a time without a connection. */
    keep() {
        if (this.known !== null && this.#connection.session !== null) {
            this.#do({ do: "keepRoom", room: "roster" });
        }
    }

    /** What is to be kept. */
    kept() { return { at: this.asOf, roster: this.known }; }

    /** Whether this user, a member, may not switch devices now, because only people on duty may. */
    #keepsOff(now) {
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
