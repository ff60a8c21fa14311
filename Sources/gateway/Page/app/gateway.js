// Requests to the gateway.

import { oneLine, plainText } from "../common/plaintext.js";
import { rosterFrom } from "../duty/rosterwire.js";
import { sequenceFrom, summariesFrom } from "../queue/sequencewire.js";
import * as sitewire from "../site/sitewire.js";
import * as wire from "./wire.js";

/** Milliseconds that an answer may take. A command's is awaited longer than a controller takes for it. */
const PATIENCE = 10_000;
const COMMAND_PATIENCE = 40_000;
/** Milliseconds that a log-out waits for the cancels of pending requests. */
const FAREWELL = 2_000;
const UNREADABLE = "The gateway’s answer can’t be read.";

/** No answer came, or none that tells what became of the request. */
export class Lost extends Error {
    /** Whether the gateway answered at all: that it cannot know. */
    isAnswer;

    constructor(words, isAnswer = false) {
        super(words);
        this.isAnswer = isAnswer;
    }
}
/** An answer came that is not what it should be. */
class Unreadable extends Lost {}
/** Nobody is logged in; the message is for people. */
export class LoggedOut extends Error {}
/** The gateway says no; its message is for people. */
export class Refused extends Error {
    constructor(words, status) {
        super(words);
        this.status = status;
    }
}

/** Why something could not be fetched. @returns {"lost" | "unreadable" | "missing" | "failed" | "refused"} */
export function failureOf(error) {
    if (error instanceof Unreadable) return "unreadable";
    if (error instanceof Lost) return error.isAnswer ? "failed" : "lost";
    return error.status === 404 ? "missing" : "refused";
}

/** Lets some work at a time; the rest waits for its turn. */
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
    /** Of a browser's six connections to a server the stream has one; one is left to take something back. */
    #toggles = new Turns(4);
    #leaving = new AbortController();

    /** Who is logged in. @throws {Lost | LoggedOut | Refused} */
    async session() { return read(wire.sessionFrom, await this.#ask("GET", "/page/session")); }

    async logIn(email, password) {
        const body = { email, password };
        const value = await this.#ask("POST", "/page/session", { body, patience: COMMAND_PATIENCE });
        return read(wire.sessionFrom, value);
    }

    /** Which ways in there are. */
    async ways() {
        const value = await this.#ask("GET", "/page/ways");
        return { signUp: value?.signUp === true, recovery: value?.recovery === true };
    }

    async signUp(email, password) {
        const body = { email, password };
        const value = await this.#ask("POST", "/page/signup", { body, patience: COMMAND_PATIENCE });
        return read(wire.sessionFrom, value);
    }

    async forgot(email) {
        await this.#ask("POST", "/page/forgot", { body: { email }, patience: COMMAND_PATIENCE });
    }

    /** Whose password is another one now. */
    async reset(token, password) {
        const body = { token, password };
        const value = await this.#ask("POST", "/page/reset", { body, patience: COMMAND_PATIENCE });
        return String(value?.email ?? "").slice(0, 254);
    }

    /** Cancels these requests and ends the session, also while the page forgets everything. */
    async logOut(csrf, requestIds = []) {
        const signal = AbortSignal.timeout(FAREWELL);
        await Promise.allSettled(requestIds.map((id) =>
            this.#ask("POST", `/page/requests/${id}/cancel`, { csrf, signal })));
        await this.#ask("DELETE", "/page/session", { csrf, signal: AbortSignal.timeout(PATIENCE) });
    }

    async devices() {
        const value = await this.#ask("GET", "/page/devices");
        return {
            position: wire.positionFrom(value?.position), isSettling: value?.settling === true,
            devices: wire.devicesFrom(value?.devices),
        };
    }

    async history(id) { return wire.historyFrom(await this.#ask("GET", `/page/devices/${id}/history`)); }

    async toggle(id, { requestId, incarnation, version }, csrf) {
        const body = { requestId, incarnation, version };
        // Requests that are still queued when the page forgets everything are not sent.
        const leaving = this.#leaving.signal;
        const value = await this.#toggles.run(() => this.#ask(
            "POST", `/page/devices/${id}/toggle`, { body, csrf, patience: COMMAND_PATIENCE, leaving }));
        return { ...read(wire.outcomeFrom, value), device: id };
    }

    /** How a request has ended; null where the controller has not seen it. */
    async outcome(requestId) {
        try {
            return read(wire.outcomeFrom, await this.#ask("GET", `/page/requests/${requestId}`));
        } catch (error) {
            if (error.status === 404) return null;
            throw error;
        }
    }

    /** Cancels a request; if the cancel came too late, `end` is how the request ended. */
    async cancel(requestId, csrf) {
        const value = await this.#ask("POST", `/page/requests/${requestId}/cancel`, { csrf });
        const words = String(value?.words ?? "").slice(0, 512);
        return { kind: String(value?.kind), words, end: wire.outcomeFrom(value?.end) };
    }

    /** The newest posts, or those before one. */
    async posts(before) {
        const query = before === null ? "" : `?before=${before}`;
        const value = await this.#ask("GET", `/page/posts${query}`);
        return { before, posts: wire.postsFrom(value?.posts), total: Number(value?.total) || 0 };
    }

    /** A post with its comments. */
    async post(number) {
        const value = await this.#ask("GET", `/page/posts/${number}`);
        return { post: read(wire.postFrom, value?.post), comments: wire.commentsFrom(value?.comments) };
    }

    async writePost({ requestId, title, body, device, site }, csrf) {
        const about = device !== null ? { device } : site !== "" ? { site } : {};
        const post = { requestId, title, body, ...about };
        const value = await this.#ask("POST", "/page/posts", { body: post, csrf });
        return read(wire.postFrom, value);
    }

    async writeComment({ number, requestId, body }, csrf) {
        const path = `/page/posts/${number}/comments`;
        const value = await this.#ask("POST", path, { body: { requestId, body }, csrf });
        return read(wire.commentFrom, value);
    }

    /** A page of the sites, from 1. */
    async sites(page, size) {
        const value = await this.#ask("GET", `/page/sites?page=${page}&pageSize=${size}`);
        return { page, ...read(sitewire.sitePageFrom, value) };
    }

    /** A site with its devices. */
    async site(id) { return read(sitewire.openedSiteFrom, await this.#ask("GET", `/page/sites/${id}`)); }

    /** The sequences that were made last, without their commands. */
    async sequences() { return summariesFrom((await this.#ask("GET", "/page/sequences"))?.sequences); }

    async sequence(id) { return read(sequenceFrom, await this.#ask("GET", `/page/sequences/${id}`)); }

    /** Has commands sent to a device, once for each id. */
    async startSequence(requestId, device, csrf) {
        const body = { requestId, device };
        return read(sequenceFrom, await this.#ask("POST", "/page/sequences", { body, csrf }));
    }

    /** @param {"pause" | "resume" | "stop" | "cancel"} kind */
    async steerSequence(id, kind, csrf) {
        return read(sequenceFrom, await this.#ask("POST", `/page/sequences/${id}/${kind}`, { csrf }));
    }

    /** The roster with the shifts to come. */
    async roster() { return read(rosterFrom, await this.#ask("GET", "/page/roster")); }

    /** Nothing that is on its way is of interest any more. */
    abandon() {
        this.#leaving.abort();
        this.#leaving = new AbortController();
    }

    async #ask(
        method, path, { body, csrf, patience = PATIENCE, signal, leaving = this.#leaving.signal } = {},
    ) {
        const headers = { Accept: "application/json" };
        if (body !== undefined) headers["Content-Type"] = "application/json";
        if (csrf !== undefined) headers["X-CSRF-Token"] = csrf;
        let response;
        let text;
        try {
            const limit = signal ?? AbortSignal.any([leaving, AbortSignal.timeout(patience)]);
            response = await fetch(path, {
                method, headers, body: body && JSON.stringify(body), signal: limit, cache: "no-store",
                credentials: "same-origin", redirect: "error",
            });
            text = await response.text();
        } catch (error) {
            throw Object.assign(new Lost("No answer from the gateway."), { cause: error });
        }
        if (signal === undefined && leaving.aborted) throw new Lost("The page has discarded this request.");
        if (response.status === 401) throw new LoggedOut(wordsOf(response, text));
        if (response.status >= 500) throw new Lost(wordsOf(response, text), true);
        if (!response.ok) throw new Refused(wordsOf(response, text), response.status);
        return response.status === 204 ? null : parsed(text);
    }
}

/** Why the gateway says no: its own words, be they in HTML or in JSON. */
function wordsOf(response, text) {
    const isJSON = /^application\/json\b/i.test(response.headers.get("Content-Type") ?? "");
    const words = isJSON ? messageIn(text) : plainText(text);
    return words || `The gateway answered with status ${response.status}.`;
}

function messageIn(text) {
    const message = parsed(text)?.error?.message;
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
