// Toggles that are on their way. Pure: times and ids are handed in.
//
// A request keeps its id until it has ended. Where an answer was lost the same id is asked for again, which
// does nothing a second time: the controller tells what became of the first.

/** Toggles on their way at a time. */
export const COMMANDS_AT_MOST = 64;
/** How long an answer is asked for again, in milliseconds: controllers remember at least that long. */
export const ASKED_FOR_AT_MOST = 60_000;
/** The first and the longest wait before one is asked for again, in milliseconds. */
const RETRY = { first: 500, longest: 8_000 };

/**
 * @typedef {object} Command
 * @property {string} device
 * @property {string} requestId
 * @property {number} version Of the state that its user saw.
 * @property {boolean} expected Whether the device will be on.
 * @property {number} askedAt In milliseconds since 1970.
 * @property {number} losses How many answers were lost.
 * @property {number | null} retryAt When to ask again; null while an answer is awaited.
 * @property {"no" | "asked" | "pending"} cancel How far taking it back has come.
 */

export class Commands {
    /** @type {Map<string, Command>} By device: one at a time. */
    #byDevice = new Map();

    get size() { return this.#byDevice.size; }

    /** @returns {Command | undefined} */
    of(device) { return this.#byDevice.get(device); }

    /** @returns {Command | undefined} */
    withID(requestId) {
        for (const command of this.#byDevice.values()) if (command.requestId === requestId) return command;
        return undefined;
    }

    /**
     * A toggle of that state of a device.
     *
     * @returns {Command | null} Null where one is on its way, or too many are.
     */
    begin({ id, version, on }, requestId, now) {
        if (this.#byDevice.has(id) || this.#byDevice.size >= COMMANDS_AT_MOST) return null;
        const command = {
            device: id, requestId, version, expected: !on, askedAt: now, losses: 0, retryAt: null,
            cancel: "no",
        };
        this.#byDevice.set(id, command);
        return command;
    }

    /**
     * An answer was lost.
     *
     * @returns {Command | null} The command where it is given up: what became of it is not known.
     */
    lost(requestId, now) {
        const command = this.withID(requestId);
        if (command === undefined) return null;
        command.losses += 1;
        command.retryAt = now + Math.min(RETRY.longest, RETRY.first * 2 ** (command.losses - 1));
        return this.#givenUp(command, now) ? command : null;
    }

    /**
     * Those to ask for again.
     *
     * @param {boolean} isReachable Whether there is anybody to ask.
     * @returns {{again: Command[], givenUp: Command[]}}
     */
    due(now, isReachable) {
        const lost = [...this.#byDevice.values()].filter((command) => command.retryAt !== null);
        const givenUp = lost.filter((command) => this.#givenUp(command, now));
        const again = lost.filter((command) =>
            isReachable && !givenUp.includes(command) && command.retryAt <= now);
        for (const command of again) command.retryAt = null;
        return { again, givenUp };
    }

    /** Asks at once for whatever was lost: the connection is back. */
    hurry(now) {
        for (const command of this.#byDevice.values()) if (command.retryAt !== null) command.retryAt = now;
    }

    /**
     * A request has ended.
     *
     * @returns {Command | null} Null where it was none of these, or has ended before.
     */
    end(requestId) {
        const command = this.withID(requestId);
        if (command === undefined) return null;
        this.#byDevice.delete(command.device);
        return command;
    }

    forget() { this.#byDevice.clear(); }

    #givenUp(command, now) {
        if (now - command.askedAt < ASKED_FOR_AT_MOST) return false;
        this.#byDevice.delete(command.device);
        return true;
    }
}
