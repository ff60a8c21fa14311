// The command queue on the first screen: the one that was started here, else the account's latest running
// one. Pure: times and IDs are parameters, effects are results.
//
// A request keeps its ID until it is answered. After a lost answer the page sends the same request again,
// also after a reload; it has no effect twice. After a minute the page stops and reads the queue instead.

import { RETRIED_FOR, retryDelay } from "../common/retries.js";

/** Milliseconds between two reads of a queue that has not ended. */
export const LOOK_EVERY = 1_000;
const START_UNKNOWN = "We couldn’t confirm that the commands were sent.";
const STEERED = { pause: "paused", resume: "resumed", stop: "stopped", cancel: "cancelled" };

/**
 * @typedef {object} Asked A request without an answer.
 * @property {{do: string}} effect
 * @property {number} askedAt In milliseconds since 1970.
 * @property {number} losses How many answers were lost.
 * @property {number | null} retryAt The time of the retry; null while an answer is awaited.
 * @property {boolean} isGivenUp Whether it is not retried, and the queue is read instead.
 */

export class Queues {
    /** @type {import("./queuewire.js").Queue | null} */
    shown = null;
    /** When the queue was last read, in milliseconds since 1970. */
    asOf = 0;
    /** @type {Asked | null} The pending start or control of a queue, one at a time. */
    asked = null;
    /** Why the request failed; empty without an error. */
    words = "";
    /** The device that the user has chosen for the next commands; null without a choice. */
    chosen = null;

    #connection;
    #do;
    #isLooking = false;
    /** Whether a request was sent after that read began, so that its result may be older. */
    #isLookOutdated = false;
    #lookAt = 0;
    /** Whether there was ever data to store. */
    #hadSomething = false;

    /**
     * @param {import("../common/connection.js").Connection} connection
     * @param {(effect: {do: string}) => void} perform Performs an effect.
     */
    constructor(connection, perform) {
        this.#connection = connection;
        this.#do = perform;
    }

    get canSend() {
        const { isLive, hasController, maySwitchNow } = this.#connection;
        return isLive && hasController && maySwitchNow && this.asked === null;
    }

    /** Whether the shown queue has not ended, as far as is known. */
    get isUnderWay() { return this.shown !== null && !this.shown.isFinal; }

    /** Restores stored data; a pending start is retried. */
    restore({ at, shown, starting }) {
        Object.assign(this, { asOf: at, shown });
        this.#hadSomething = shown !== null || starting !== null;
        if (starting === null) return;
        const { askedAt, ...start } = starting;
        const effect = { do: "startQueue", ...start };
        this.asked = { effect, askedAt, losses: 1, retryAt: 0, isGivenUp: false };
    }

    /** The screen of that address is shown, or the connection is back. */
    opened(route) {
        if (route.screen !== "list" || !this.#connection.isLive || this.asked !== null) return;
        if (this.isUnderWay || this.#isLooking) return this.#look();
        this.#isLooking = true;
        this.#do({ do: "queues" });
    }

    /** Receives the newest queues, latest first; a running one is shown. */
    listed(found) {
        this.#lookEnded();
        const running = found.find((one) => !one.isFinal);
        if (running !== undefined && !this.isUnderWay) this.#look(running.id);
    }

    /** The user chooses the device for the next commands; null clears the choice. */
    choose(device) { this.chosen = device; }

    /** Starts a queue for a device. @param {string} requestId A new ID. */
    sendAsked(requestId, device, now) {
        if (!this.canSend || this.isUnderWay || device === null) return;
        this.#ask({ do: "startQueue", requestId, device }, now);
    }

    /** @param {"pause" | "resume" | "stop" | "cancel"} kind */
    steerAsked(kind, now) {
        if (!this.canSend || !this.isUnderWay) return;
        this.#ask({ do: "steerQueue", id: this.shown.id, kind }, now);
    }

    looked(queue, now) {
        const isOutdated = this.#isLookOutdated;
        this.#lookEnded();
        // The result may be older than the pending request; the next read shows its effect.
        if (!isOutdated) this.came(queue, now);
    }

    /** Receives a queue as the answer to a request. */
    came(queue, now) {
        const { effect } = this.asked ?? {};
        if (effect !== undefined && [effect.requestId, effect.id].includes(queue.id)) {
            Object.assign(this, { asked: null, words: "" });
        }
        // An older queue does not replace a newer one.
        const isOlder = this.isUnderWay && queue.id < this.shown.id;
        if (!isOlder) Object.assign(this, { shown: queue, asOf: now });
        this.#lookAt = now + LOOK_EVERY;
        this.store();
    }

    /** A request was refused, or its result is unknown. */
    sendFailed(words, isLost, now) {
        if (this.asked === null) return;
        if (!isLost) {
            Object.assign(this, { asked: null, words });
            return this.store();
        }
        const losses = this.asked.losses + 1;
        Object.assign(this.asked, { losses, retryAt: now + retryDelay(losses) });
    }

    /** A read failed. @param {string | null} gone The ID of a queue that does not exist. */
    lookFailed(gone) {
        this.#lookEnded();
        if (gone === null) return;
        if (this.shown?.id === gone) this.shown = null;
        const isSought = this.asked?.isGivenUp === true && this.asked.effect.requestId === gone;
        if (isSought) Object.assign(this, { asked: null, words: START_UNKNOWN });
        this.store();
    }

    ticked(now) {
        const isLost = this.asked !== null && this.asked.retryAt !== null;
        if (isLost && now - this.asked.askedAt >= RETRIED_FOR) this.#giveUp();
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

    /** Stores the queue, to be shown without a connection. */
    store() {
        this.#hadSomething ||= this.shown !== null || this.asked !== null;
        // A page without a queue must not overwrite that of another page.
        if (!this.#hadSomething || this.#connection.session === null) return;
        this.#do({ do: "storeService", service: "queues" });
    }

    /** The data to store: the shown queue, and a pending start. */
    dataToStore() {
        const { effect, askedAt } = this.asked ?? {};
        const starting = effect?.do === "startQueue"
            ? { requestId: effect.requestId, device: effect.device, askedAt } : null;
        return { at: this.asOf, shown: this.shown, starting };
    }

    #ask(effect, now) {
        const asked = { effect, askedAt: now, losses: 0, retryAt: null, isGivenUp: false };
        Object.assign(this, { asked, words: "" });
        this.#isLookOutdated = this.#isLooking;
        // The request is stored before it is sent, so that it can be retried after a reload.
        this.store();
        this.#do(effect);
    }

    /** Stops the retries: after a start, the page reads the queue by its ID. */
    #giveUp() {
        const { effect } = this.asked;
        if (effect.do === "startQueue") {
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
        this.#do({ do: "queue", id });
    }
}
