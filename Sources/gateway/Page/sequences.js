// The sequence of commands that the first screen shows: the one that was started here, else the latest of
// the account that runs. Pure: times and ids are handed in, effects come out.
//
// What was asked keeps its id until it is answered. Where an answer was lost the same is asked again, which
// does nothing a second time, also after the page was closed and opened.

/** Milliseconds between two looks at a sequence that has not ended. */
export const LOOK_EVERY = 1_000;
/** The first and the longest wait before what was lost is asked again, in milliseconds. */
const RETRY = { first: 500, longest: 8_000 };

/**
 * @typedef {object} Asked What was asked for and is not answered.
 * @property {import("./model.js").Effect} effect
 * @property {number} losses How many answers were lost.
 * @property {number | null} retryAt When to ask again; null while an answer is awaited.
 */

export class Sequences {
    /** @type {import("./sequencewire.js").Sequence | null} */
    shown = null;
    /** When it was last known to be so, in milliseconds since 1970. */
    asOf = 0;
    /** @type {Asked | null} A sequence to be started, or one to be steered: one thing at a time. */
    asked = null;
    /** Why that was not done; empty where nothing went wrong. */
    words = "";

    #connection;
    #do;
    #isLooking = false;
    #lookAt = 0;

    /**
     * @param {import("./connection.js").Connection} connection
     * @param {(effect: import("./model.js").Effect) => void} perform Takes each effect.
     */
    constructor(connection, perform) {
        this.#connection = connection;
        this.#do = perform;
    }

    /** Whether something can be sent now. */
    get canSend() {
        const { isLive, hasController, maySwitch } = this.#connection;
        return isLive && hasController && maySwitch && this.asked === null;
    }

    /** Whether one has not ended, as far as is known. */
    get isUnderWay() { return this.shown !== null && !this.shown.isFinal; }

    /** What was kept from another time; what was asked then is asked again. */
    recall({ at, shown, starting }) {
        Object.assign(this, { asOf: at, shown });
        if (starting === null) return;
        this.asked = { effect: { do: "startSequence", ...starting }, losses: 1, retryAt: 0 };
    }

    /** The screen of that address is shown, or comes back to a connection. */
    opened(route) {
        if (route.screen !== "list" || !this.#connection.isLive || this.asked !== null) return;
        if (this.isUnderWay || this.#isLooking) return this.#look();
        this.#isLooking = true;
        this.#do({ do: "sequences" });
    }

    /** Those that were made last, the latest first: one that runs is shown. */
    listed(found) {
        this.#isLooking = false;
        const running = found.find((one) => !one.isFinal);
        if (running !== undefined && !this.isUnderWay) this.#look(running.id);
    }

    /** Wants the commands sent to a device. @param {string} requestId Made for this try. */
    sendAsked(requestId, device) {
        if (!this.canSend || this.isUnderWay || device === null) return;
        this.#ask({ do: "startSequence", requestId, device });
    }

    /** @param {"pause" | "resume" | "stop" | "cancel"} kind */
    steerAsked(kind) {
        if (this.canSend && this.isUnderWay) this.#ask({ do: "steerSequence", id: this.shown.id, kind });
    }

    /** This is how a sequence stands. */
    came(sequence, now) {
        this.#isLooking = false;
        const { effect } = this.asked ?? {};
        if (effect !== undefined && [effect.requestId, effect.id].includes(sequence.id)) {
            Object.assign(this, { asked: null, words: "" });
        }
        // What was asked for first is not put in the place of what was asked for later.
        const isOlder = this.isUnderWay && sequence.id < this.shown.id;
        if (!isOlder) Object.assign(this, { shown: sequence, asOf: now });
        this.#lookAt = now + LOOK_EVERY;
        this.keep();
    }

    /** What was asked was refused, or nobody knows. */
    sendFailed(words, isLost, now) {
        if (this.asked === null) return;
        if (!isLost) {
            Object.assign(this, { asked: null, words });
            return this.keep();
        }
        const { losses } = this.asked;
        const wait = Math.min(RETRY.longest, RETRY.first * 2 ** losses);
        Object.assign(this.asked, { losses: losses + 1, retryAt: now + wait });
    }

    /** How it stands could not be had. @param {boolean} isGone Whether there is no such sequence any more. */
    lookFailed(isGone) {
        this.#isLooking = false;
        if (!isGone) return;
        this.shown = null;
        this.keep();
    }

    /** Time goes by: what is due is asked. */
    ticked(now) {
        if (!this.#connection.isLive) return;
        if (this.asked !== null) {
            if (this.asked.retryAt === null || this.asked.retryAt > now) return;
            this.asked.retryAt = null;
            return this.#do(this.asked.effect);
        }
        if (this.isUnderWay && now >= this.#lookAt) {
            this.#lookAt = now + LOOK_EVERY;
            this.#look();
        }
    }

    /** Has it kept for a time without a connection. */
    keep() {
        if (this.#connection.session !== null) this.#do({ do: "keepRoom", room: "sequences" });
    }

    /** What is to be kept: the sequence that is shown, and what was asked to be started. */
    kept() {
        const { effect } = this.asked ?? {};
        const starting = effect?.do === "startSequence"
            ? { requestId: effect.requestId, device: effect.device } : null;
        return { at: this.asOf, shown: this.shown, starting };
    }

    #ask(effect) {
        Object.assign(this, { asked: { effect, losses: 0, retryAt: null }, words: "" });
        // Before it leaves: whatever happens to the page, the same can be asked again.
        this.keep();
        this.#do(effect);
    }

    #look(id = this.shown?.id) {
        if (this.#isLooking || id === undefined) return;
        this.#isLooking = true;
        this.#do({ do: "sequence", id });
    }
}
