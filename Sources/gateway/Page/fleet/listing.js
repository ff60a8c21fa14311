// A list of devices that is being fetched, and the messages of the stream that arrive before it does. Pure.

import { isAfter } from "./fleetwire.js";

/** Messages of the stream that are queued for a list; if more arrive, the list is fetched again. */
const WAITING_AT_MOST = 2_000;

export class Listing {
    isOnItsWay = false;
    /** The position in the stream that the list must have reached; null for any position. */
    #wanted = null;
    #waiting = [];

    begin() {
        this.isOnItsWay = true;
        this.#waiting = [];
    }

    /** Requires that the list has a position in the stream, or a later one. */
    want(position) {
        if (position !== null && isAfter(position, this.#wanted)) this.#wanted = position;
    }

    record(update) {
        if (!this.isOnItsWay) return;
        if (this.#waiting.length < WAITING_AT_MOST) this.#waiting.push(update);
        else this.want(update.position);
    }

    /**
     * The list has arrived.
     *
     * @returns {{later: object[], isTooEarly: boolean}} The messages that are later than the list, and
     *     whether the list must be fetched again.
     */
    came(position) {
        const isTooEarly = this.#wanted !== null && isAfter(this.#wanted, position);
        const later = this.#waiting.filter((update) => isAfter(update.position, position));
        this.stop();
        return { later, isTooEarly };
    }

    /** Discards the queue: the list has arrived or failed. */
    stop() {
        this.isOnItsWay = false;
        this.#wanted = null;
        this.#waiting = [];
    }
}
