// Pending toggles. Pure: times and IDs are parameters. The browser stores them until they have ended, so that
// a reloaded page still knows them.
//
// A request keeps its ID until it has ended. After a lost answer the page asks for the outcome of that ID.
// Only if the controller has not seen it does the page send the toggle again, with the same ID. A refusal of
// a toggle that was sent before does not end it, because the first copy may still arrive: the page cancels
// the request, and the reply has its outcome.

import { RETRIED_FOR, retryDelay } from "../common/retries.js";

export const COMMANDS_AT_MOST = 64;

/**
 * @typedef {object} Command
 * @property {string} device
 * @property {string} requestId
 * @property {string} incarnation The incarnation of the state that the user saw.
 * @property {number} version The version of that state.
 * @property {boolean} expected Whether the device will be on.
 * @property {number} askedAt In milliseconds since 1970.
 * @property {number} losses How many answers were lost.
 * @property {"toggle" | "outcome" | "cancel"} asks The current or next request to the gateway.
 * @property {string | null} refusal Why a copy was refused, while the outcome of the others is unknown.
 * @property {number | null} retryAt The time of the next request; null while an answer is awaited.
 * @property {"no" | "asked" | "pending"} cancel The state of the cancel.
 */

export class Commands {
    /** @type {Map<string, Command>} By device, one for each. */
    #byDevice = new Map();
    #store;
    #drop;

    /**
     * @param {{store(command), drop(requestId)}} does Store a command in the browser, and remove it.
     */
    constructor({ store, drop }) {
        [this.#store, this.#drop] = [store, drop];
    }

    get size() { return this.#byDevice.size; }

    get requestIds() { return [...this.#byDevice.values()].map((command) => command.requestId); }

    /** @returns {Command | undefined} */
    of(device) { return this.#byDevice.get(device); }

    /** @returns {Command | undefined} */
    withID(requestId) { return [...this.#byDevice.values()].find((one) => one.requestId === requestId); }

    /**
     * Begins a toggle of a device in that state.
     *
     * @returns {Command | null} Null if the device has a pending toggle, or too many are pending.
     */
    begin({ id, incarnation, version, on }, requestId, now) {
        if (this.#byDevice.has(id) || this.#byDevice.size >= COMMANDS_AT_MOST) return null;
        const command = {
            device: id, requestId, incarnation, version, expected: !on, askedAt: now, losses: 0,
            asks: "toggle", refusal: null, retryAt: null, cancel: "no",
        };
        this.#byDevice.set(id, command);
        this.#storeCommand(command);
        return command;
    }

    /**
     * Restores commands that were pending when the page was reloaded: their outcomes are requested. A command
     * older than `RETRIED_FOR` is dropped.
     */
    restore(stored, now) {
        for (const { isCancelled, ...command } of stored) {
            const age = now - command.askedAt;
            const isRecent = age >= 0 && age < RETRIED_FOR && this.#byDevice.size < COMMANDS_AT_MOST;
            if (!isRecent || this.#byDevice.has(command.device)) {
                this.#drop(command.requestId);
                continue;
            }
            const [asks, cancel] = isCancelled ? ["cancel", "asked"] : ["outcome", "no"];
            const open = { losses: 1, asks, refusal: null, retryAt: now, cancel };
            this.#byDevice.set(command.device, { ...command, ...open });
        }
    }

    cancelled(command) {
        command.cancel = "asked";
        this.#storeCommand(command);
    }

    /**
     * An answer was lost.
     *
     * @returns {Command | null} The command if it is given up: its outcome is unknown.
     */
    lost(requestId, now) {
        const command = this.withID(requestId);
        if (command === undefined) return null;
        command.losses += 1;
        if (command.asks === "toggle") command.asks = "outcome";
        command.retryAt = now + retryDelay(command.losses);
        return this.#givenUp(command, now) ? command : null;
    }

    /** The controller has not seen a request: it is sent again. */
    unseen(requestId, now) { this.#ask("toggle", requestId, now); }

    /**
     * A copy of a request was refused.
     *
     * @returns {Command | null} The command if that ends it, because it was sent only once.
     */
    refused(requestId, message, now) {
        const command = this.withID(requestId);
        if (command === undefined || command.losses === 0) return this.finish(requestId);
        command.refusal = message;
        this.#ask("cancel", requestId, now);
        return null;
    }

    /** An earlier copy of a refused request did arrive: its outcome is asked for. */
    arrived(requestId, now) {
        this.#ask("outcome", requestId, now);
        const command = this.withID(requestId);
        if (command !== undefined) command.refusal = null;
    }

    /**
     * The commands whose next request is due.
     *
     * @param {boolean} isReachable Whether requests can be sent.
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

    /** Makes the requests after lost answers due at once: the connection is back. */
    hurry(now) {
        for (const command of this.#byDevice.values()) if (command.retryAt !== null) command.retryAt = now;
    }

    /**
     * A request has ended.
     *
     * @returns {Command | null} Null for an unknown request, or one that has ended before.
     */
    finish(requestId) {
        const command = this.withID(requestId);
        if (command === undefined) return null;
        this.#remove(command);
        return command;
    }

    #ask(what, requestId, now) {
        const command = this.withID(requestId);
        if (command !== undefined) Object.assign(command, { asks: what, retryAt: now });
    }

    #givenUp(command, now) {
        if (now - command.askedAt < RETRIED_FOR) return false;
        this.#remove(command);
        return true;
    }

    #remove({ device, requestId }) {
        this.#byDevice.delete(device);
        this.#drop(requestId);
    }

    #storeCommand({ device, requestId, incarnation, version, expected, askedAt, cancel }) {
        const isCancelled = cancel !== "no";
        this.#store({ device, requestId, incarnation, version, expected, askedAt, isCancelled });
    }
}

export function toneOf(kind) {
    if (kind === "applied") return "good";
    return kind === "unchanged" || kind === "cancelled" ? "plain" : "bad";
}

/** The message about the end of a request; a cancel that came too late has a message of its own. */
export function outcomeNotice({ kind, message, state = null }, isCancelled) {
    if (!isCancelled || state === null) return { tone: toneOf(kind), text: message };
    return { tone: "plain", text: `Too late to cancel: it’s ${state.on ? "on" : "off"}` };
}
