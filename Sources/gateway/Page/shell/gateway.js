// Requests to the gateway.

import { oneLine, plainText } from "../common/plaintext.js";
import * as fleetwire from "../fleet/fleetwire.js";
import { rosterFrom } from "../duty/rosterwire.js";
import { sessionFrom } from "../login/loginwire.js";
import * as logbookwire from "../logbook/logbookwire.js";
import { queueFrom, summariesFrom } from "../queue/queuewire.js";
import * as sitewire from "../site/sitewire.js";

/** The timeouts of answers in milliseconds. That of a command is longer than the controller's. */
const TIMEOUT = 10_000;
const COMMAND_TIMEOUT = 40_000;
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
/** The answer is invalid. */
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
    /** A browser has six connections to a server: the stream uses one, and one is left for cancels. */
    #toggles = new Turns(4);
    #leaving = new AbortController();

    /** Returns the session. @throws {Lost | LoggedOut | Refused} */
    async session() { return read(sessionFrom, await this.#ask("GET", "/page/session")); }

    async logIn(email, password) {
        const body = { email, password };
        const value = await this.#ask("POST", "/page/session", { body, timeout: COMMAND_TIMEOUT });
        return read(sessionFrom, value);
    }

    /** Returns whether sign-up and password reset are enabled. */
    async features() {
        const value = await this.#ask("GET", "/page/ways");
        return { signUp: value?.signUp === true, recovery: value?.recovery === true };
    }

    async signUp(email, password) {
        const body = { email, password };
        const value = await this.#ask("POST", "/page/signup", { body, timeout: COMMAND_TIMEOUT });
        return read(sessionFrom, value);
    }

    async forgot(email) {
        await this.#ask("POST", "/page/forgot", { body: { email }, timeout: COMMAND_TIMEOUT });
    }

    /** Sets a new password; returns the user's email address. */
    async reset(token, password) {
        const body = { token, password };
        const value = await this.#ask("POST", "/page/reset", { body, timeout: COMMAND_TIMEOUT });
        return String(value?.email ?? "").slice(0, 254);
    }

    /** Cancels these requests and ends the session, also while the page removes all data. */
    async logOut(csrf, requestIds = []) {
        const signal = AbortSignal.timeout(FAREWELL);
        await Promise.allSettled(requestIds.map((id) =>
            this.#ask("POST", `/page/requests/${id}/cancel`, { csrf, signal })));
        await this.#ask("DELETE", "/page/session", { csrf, signal: AbortSignal.timeout(TIMEOUT) });
    }

    async devices() {
        const value = await this.#ask("GET", "/page/devices");
        return {
            position: fleetwire.positionFrom(value?.position), isSettling: value?.settling === true,
            devices: fleetwire.devicesFrom(value?.devices),
        };
    }

    async history(id) { return fleetwire.historyFrom(await this.#ask("GET", `/page/devices/${id}/history`)); }

    async toggle(id, { requestId, incarnation, version }, csrf) {
        const body = { requestId, incarnation, version };
        // Requests that are still queued when the page removes all data are not sent.
        const leaving = this.#leaving.signal;
        const value = await this.#toggles.run(() => this.#ask(
            "POST", `/page/devices/${id}/toggle`, { body, csrf, timeout: COMMAND_TIMEOUT, leaving }));
        return { ...read(fleetwire.outcomeFrom, value), device: id };
    }

    /** Returns the outcome of a request; null if the controller has not seen it. */
    async outcome(requestId) {
        try {
            return read(fleetwire.outcomeFrom, await this.#ask("GET", `/page/requests/${requestId}`));
        } catch (error) {
            if (error.status === 404) return null;
            throw error;
        }
    }

    /** Cancels a request; if the cancel came too late, `outcome` is the outcome of the request. */
    async cancel(requestId, csrf) {
        const value = await this.#ask("POST", `/page/requests/${requestId}/cancel`, { csrf });
        const message = String(value?.words ?? "").slice(0, 512);
        return { kind: String(value?.kind), message, outcome: fleetwire.outcomeFrom(value?.end) };
    }

    /** Returns the newest posts, or those before a post. */
    async posts(before) {
        const query = before === null ? "" : `?before=${before}`;
        const value = await this.#ask("GET", `/page/posts${query}`);
        return { before, posts: logbookwire.postsFrom(value?.posts), total: Number(value?.total) || 0 };
    }

    /** Returns a post with its comments. */
    async post(number) {
        const value = await this.#ask("GET", `/page/posts/${number}`);
        const post = read(logbookwire.postFrom, value?.post);
        return { post, comments: logbookwire.commentsFrom(value?.comments) };
    }

    async writePost({ requestId, title, body, device, site }, csrf) {
        const about = device !== null ? { device } : site !== "" ? { site } : {};
        const post = { requestId, title, body, ...about };
        const value = await this.#ask("POST", "/page/posts", { body: post, csrf });
        return read(logbookwire.postFrom, value);
    }

    async writeComment({ number, requestId, body }, csrf) {
        const path = `/page/posts/${number}/comments`;
        const value = await this.#ask("POST", path, { body: { requestId, body }, csrf });
        return read(logbookwire.commentFrom, value);
    }

    /** Returns a page of the sites, from 1. */
    async sites(page, size) {
        const value = await this.#ask("GET", `/page/sites?page=${page}&pageSize=${size}`);
        return { page, ...read(sitewire.sitePageFrom, value) };
    }

    /** Returns a site with its devices. */
    async site(id) { return read(sitewire.openedSiteFrom, await this.#ask("GET", `/page/sites/${id}`)); }

    /** Returns the newest queues, without their commands. */
    async queues() { return summariesFrom((await this.#ask("GET", "/page/queues"))?.queues); }

    async queue(id) { return read(queueFrom, await this.#ask("GET", `/page/queues/${id}`)); }

    /** Starts a command queue for a device; retries with the same ID have no further effect. */
    async startQueue(requestId, device, csrf) {
        const body = { requestId, device };
        return read(queueFrom, await this.#ask("POST", "/page/queues", { body, csrf }));
    }

    /** @param {"pause" | "resume" | "stop" | "cancel"} kind */
    async steerQueue(id, kind, csrf) {
        return read(queueFrom, await this.#ask("POST", `/page/queues/${id}/${kind}`, { csrf }));
    }

    /** Returns the roster with the upcoming shifts. */
    async roster() { return read(rosterFrom, await this.#ask("GET", "/page/roster")); }

    /** Aborts all pending requests. */
    abandon() {
        this.#leaving.abort();
        this.#leaving = new AbortController();
    }

    async #ask(
        method, path, { body, csrf, timeout = TIMEOUT, signal, leaving = this.#leaving.signal } = {},
    ) {
        const headers = { Accept: "application/json" };
        if (body !== undefined) headers["Content-Type"] = "application/json";
        if (csrf !== undefined) headers["X-CSRF-Token"] = csrf;
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

function read(reader, value) {
    const made = reader(value);
    if (made === null) throw new Unreadable(UNREADABLE);
    return made;
}

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}
