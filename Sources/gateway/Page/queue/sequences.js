// The sequence of commands that the first screen shows: the one that was started here, else the latest of
// the account that runs. Pure: times and ids are handed in, effects come out.
//
// What was asked keeps its id until it is answered. Where an answer was lost the same is asked again, which
// does nothing a second time, also after the page was closed and opened; after a minute nothing is asked any
// more, and the sequence is looked at instead.

import { ASKED_FOR_AT_MOST } from "../list/commands.js";

/** Milliseconds between two looks at a sequence that has not ended. */
export const LOOK_EVERY = 1_000;
/** The first and the longest wait before what was lost is asked again, in milliseconds. */
const RETRY = { first: 500, longest: 8_000 };
const START_UNKNOWN = "We couldn’t confirm that the commands were sent.";
const STEERED = { pause: "paused", resume: "resumed", stop: "stopped", cancel: "cancelled" };

/**
 * @typedef {object} Asked What was asked for and is not answered.
 * @property {import("../app/model.js").Effect} effect
 * @property {number} askedAt In milliseconds since 1970.
 * @property {number} losses How many answers were lost.
 * @property {number | null} retryAt When to ask again; null while an answer is awaited.
 * @property {boolean} isGivenUp Whether it is not asked again, but looked for.
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
    /** The device that the user has chosen for the next commands; null without a choice. */
    chosen = null;

    #connection;
    #do;
    #isLooking = false;
    /** Whether something was asked for since that look began, so that it may show how things were before. */
    #isLookOutdated = false;
    #lookAt = 0;
    /** Whether there was ever anything to be kept. */
    #hadSomething = false;

    /**
     * @param {import("../app/connection.js").Connection} connection
     * @param {(effect: import("../app/model.js").Effect) => void} perform Takes each effect.
     */
    constructor(connection, perform) {
        this.#connection = connection;
        this.#do = perform;
    }

    /** Whether something can be sent now. */
    get canSend() {
        const { isLive, hasController, maySwitchNow } = this.#connection;
        return isLive && hasController && maySwitchNow && this.asked === null;
    }

    /** Whether one has not ended, as far as is known. */
    get isUnderWay() { return this.shown !== null && !this.shown.isFinal; }

    /** What was kept from another time; what was asked a moment ago is asked again. */
    recall({ at, shown, starting }) {
        Object.assign(this, { asOf: at, shown });
        this.#hadSomething = shown !== null || starting !== null;
        if (starting === null) return;
        const { askedAt, ...start } = starting;
        const effect = { do: "startSequence", ...start };
        this.asked = { effect, askedAt, losses: 1, retryAt: 0, isGivenUp: false };
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
        this.#lookEnded();
        const running = found.find((one) => !one.isFinal);
        if (running !== undefined && !this.isUnderWay) this.#look(running.id);
    }

    /** The user chooses the device for the next commands; null clears the choice. */
    choose(device) { this.chosen = device; }

    /** Wants the commands sent to a device. @param {string} requestId Made for this try. */
    sendAsked(requestId, device, now) {
        if (!this.canSend || this.isUnderWay || device === null) return;
        this.#ask({ do: "startSequence", requestId, device }, now);
    }

    /** @param {"pause" | "resume" | "stop" | "cancel"} kind */
    steerAsked(kind, now) {
        if (!this.canSend || !this.isUnderWay) return;
        this.#ask({ do: "steerSequence", id: this.shown.id, kind }, now);
    }

    /** This is how a sequence stood when it was looked at. */
    looked(sequence, now) {
        const isOutdated = this.#isLookOutdated;
        this.#lookEnded();
        // What was asked for since is not answered by it. The next look shows what came of that.
        if (!isOutdated) this.came(sequence, now);
    }

    /** This is how a sequence stands: the answer to what was asked for. */
    came(sequence, now) {
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

    /** How it stands could not be had. @param {string | null} gone Which there is not, where that is why. */
    lookFailed(gone) {
        this.#lookEnded();
        if (gone === null) return;
        if (this.shown?.id === gone) this.shown = null;
        const isSought = this.asked?.isGivenUp === true && this.asked.effect.requestId === gone;
        if (isSought) Object.assign(this, { asked: null, words: START_UNKNOWN });
        this.keep();
    }

    /** Time goes by: what is due is asked. */
    ticked(now) {
        const isLost = this.asked !== null && this.asked.retryAt !== null;
        if (isLost && now - this.asked.askedAt >= ASKED_FOR_AT_MOST) this.#giveUp();
        if (!this.#connection.isLive) return;
        const { asked } = this;
        if (asked !== null && !asked.isGivenUp) {
            if (asked.retryAt === null || asked.retryAt > now) return;
            asked.retryAt = null;
            return this.#do(asked.effect);
        }
        if ((asked !== null || this.isUnderWay) && now >= this.#lookAt) {
            this.#lookAt = now + LOOK_EVERY;
            this.#look(asked?.effect.requestId);
        }
    }

    /** Has it kept for a time without a connection. */
    keep() {
        this.#hadSomething ||= this.shown !== null || this.asked !== null;
        // Where there never was anything, another window's is not lost by it.
        if (!this.#hadSomething || this.#connection.session === null) return;
        this.#do({ do: "keepRoom", room: "sequences" });
    }

    /** What is to be kept: the sequence that is shown, and what was asked to be started. */
    kept() {
        const { effect, askedAt } = this.asked ?? {};
        const starting = effect?.do === "startSequence"
            ? { requestId: effect.requestId, device: effect.device, askedAt } : null;
        return { at: this.asOf, shown: this.shown, starting };
    }

    #ask(effect, now) {
        const asked = { effect, askedAt: now, losses: 0, retryAt: null, isGivenUp: false };
        Object.assign(this, { asked, words: "" });
        this.#isLookOutdated = this.#isLooking;
        // Before it leaves: whatever happens to the page, the same can be asked again.
        this.keep();
        this.#do(effect);
    }

    /** Nothing is asked again: a start is looked for, and what was to be steered is looked at. */
    #giveUp() {
        const { effect } = this.asked;
        if (effect.do === "startSequence") {
            return Object.assign(this.asked, { retryAt: null, isGivenUp: true });
        }
        const words = `We couldn’t confirm that the commands were ${STEERED[effect.kind]}.`;
        Object.assign(this, { asked: null, words });
    }

    #lookEnded() {
        this.#isLooking = false;
        this.#isLookOutdated = false;
    }

    #look(id = this.shown?.id) {
        if (this.#isLooking || id === undefined) return;
        this.#isLooking = true;
        this.#do({ do: "sequence", id });
    }
}
