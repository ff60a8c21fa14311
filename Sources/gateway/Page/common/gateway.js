// Requests to the gateway, and their errors.

import { oneLine, plainText } from "./plaintext.js";
import { parsed } from "./wire.js";

/** The timeout of an answer in milliseconds. */
const TIMEOUT = 10_000;
/** The timeout of a command, longer than the controller's. */
export const COMMAND_TIMEOUT = 40_000;
/** The milliseconds that a log-out waits for the cancels of pending requests. */
const FAREWELL = 2_000;
const UNREADABLE = "The gateway’s answer can’t be read.";

/** No answer arrived, or none with the result of the request. */
export class Lost extends Error {
    /** Whether the gateway answered, with a status of 500 or more. */
    isAnswer;

    constructor(message, isAnswer = false) {
        super(message);
        this.isAnswer = isAnswer;
    }
}
class Unreadable extends Lost {}
/** The session is missing or has ended; the message is for users. */
export class LoggedOut extends Error {}
/** The gateway refused the request; the message is for users. */
export class Refused extends Error {
    constructor(message, status) {
        super(message);
        this.status = status;
    }
}

/** The kind of an error. @returns {"lost" | "unreadable" | "missing" | "failed" | "refused"} */
export function failureOf(error) {
    if (error instanceof Unreadable) return "unreadable";
    if (error instanceof Lost) return error.isAnswer ? "failed" : "lost";
    return error.status === 404 ? "missing" : "refused";
}

/** Limits the number of concurrent tasks; the others wait in order. */
class Turns {
    #free;
    #waiting = [];

    constructor(atATime) {
        this.#free = atATime;
    }

    async run(work) {
        if (this.#free > 0) this.#free -= 1;
        else await new Promise((turn) => this.#waiting.push(turn));
        try {
            return await work();
        } finally {
            const next = this.#waiting.shift();
            if (next !== undefined) next();
            else this.#free += 1;
        }
    }
}

export class Gateway {
    #csrf;
    /** A browser has six connections to a server: the stream uses one, and one is left for cancels. */
    #toggles = new Turns(4);
    #leaving = new AbortController();

    /** @param {() => string} csrf Returns the session's token; empty without a session. */
    constructor(csrf) {
        this.#csrf = csrf;
    }

    /**
     * Requests a value.
     *
     * @param {string} path
     * @param {(value: unknown) => unknown} read Decodes it; null for an invalid answer.
     * @throws {Lost | LoggedOut | Refused}
     */
    async get(path, read) { return readable(read, await this.#ask("GET", path, {})); }

    /**
     * Sends a request that changes something, and decodes the answer.
     *
     * @param {{body?: object, read?(value), timeout?: number, waitsForTurn?: boolean}} message `waitsForTurn`
     *     limits the number of concurrent requests: the others wait in order.
     * @throws {Lost | LoggedOut | Refused}
     */
    async send(method, path, { read = (value) => value ?? {}, waitsForTurn = false, ...message } = {}) {
        // Requests that are still queued when the page removes all data are not sent.
        const [csrf, leaving] = [this.#csrf(), this.#leaving.signal];
        const send = () => this.#ask(method, path, { csrf, leaving, ...message });
        return readable(read, await (waitsForTurn ? this.#toggles.run(send) : send()));
    }

    /** Cancels these requests and ends the session, also while the page removes all data. */
    async logOut(csrf, requestIds = []) {
        const signal = AbortSignal.timeout(FAREWELL);
        await Promise.allSettled(requestIds.map((id) =>
            this.#ask("POST", `/page/requests/${id}/cancel`, { csrf, signal })));
        await this.#ask("DELETE", "/page/session", { csrf, signal: AbortSignal.timeout(TIMEOUT) });
    }

    abandon() {
        this.#leaving.abort();
        this.#leaving = new AbortController();
    }

    async #ask(method, path, { body, csrf, timeout = TIMEOUT, signal, leaving = this.#leaving.signal }) {
        const headers = { Accept: "application/json" };
        if (body !== undefined) headers["Content-Type"] = "application/json";
        if (csrf) headers["X-CSRF-Token"] = csrf;
        let response;
        let text;
        try {
            const limit = signal ?? AbortSignal.any([leaving, AbortSignal.timeout(timeout)]);
            response = await fetch(path, {
                method, headers, body: body && JSON.stringify(body), signal: limit, cache: "no-store",
                credentials: "same-origin", redirect: "error",
            });
            text = await response.text();
        } catch (error) {
            throw Object.assign(new Lost("No answer from the gateway."), { cause: error });
        }
        if (signal === undefined && leaving.aborted) throw new Lost("The page has discarded this request.");
        if (response.status === 401) throw new LoggedOut(messageOf(response, text));
        if (response.status >= 500) throw new Lost(messageOf(response, text), true);
        if (!response.ok) throw new Refused(messageOf(response, text), response.status);
        return response.status === 204 ? null : parsed(text);
    }
}

/** The gateway's error message, from HTML or JSON. */
function messageOf(response, text) {
    const isJSON = /^application\/json\b/i.test(response.headers.get("Content-Type") ?? "");
    const message = isJSON ? messageIn(text) : plainText(text);
    return message || `The gateway answered with status ${response.status}.`;
}

function messageIn(text) {
    const message = parsed(text)?.message;
    return typeof message === "string" ? oneLine(message) : "";
}

function readable(read, value) {
    const made = read(value);
    if (made === null) throw new Unreadable(UNREADABLE);
    return made;
}
