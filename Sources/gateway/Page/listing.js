// A list of devices that is being fetched, and the messages of the stream that arrive before it. Pure.

import { isAfter } from "./wire.js";

/** Messages of the stream that wait for a list; where more come it is fetched once more. */
const WAITING_AT_MOST = 2_000;

export class Listing {
    isOnItsWay = false;
    /** The place in the stream that the list has to have reached; null where any will do. */
    #wanted = null;
    #waiting = [];

    /** A list is asked for. */
    begin() {
        this.isOnItsWay = true;
        this.#waiting = [];
    }

    /** The list on its way has to be that of a place in the stream, or of a later one. */
    want(position) {
        if (position !== null && isAfter(position, this.#wanted)) this.#wanted = position;
    }

    /** A message of the stream came. */
    note(word) {
        if (!this.isOnItsWay) return;
        if (this.#waiting.length < WAITING_AT_MOST) this.#waiting.push(word);
        else this.want(word.position);
    }

    /**
     * The list came.
     *
     * @returns {{later: object[], isTooEarly: boolean}} Messages that are later than the list, and whether it
     *     has to be fetched once more.
     */
    came(position) {
        const isTooEarly = this.#wanted !== null && isAfter(this.#wanted, position);
        const later = this.#waiting.filter((word) => isAfter(word.position, position));
        this.stop();
        return { later, isTooEarly };
    }

    /** No list is on its way any more. */
    stop() {
        this.isOnItsWay = false;
        this.#wanted = null;
        this.#waiting = [];
    }
}
