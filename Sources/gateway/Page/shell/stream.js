// The stream of changes: one connection to the gateway for all visible pages of a browser.
//
// A browser opens at most six connections to a server. So one page, the leader, holds a lock, opens the
// stream and forwards each message to the others. When it is closed or hidden it releases the lock, and
// another page continues from its own position. A browser grants locks only over HTTPS and on localhost;
// elsewhere each visible page opens its own stream.

import { parsed } from "../common/wire.js";
import * as wire from "../fleet/fleetwire.js";

const EVENTS = ["devices", "gone", "outcome", "controller", "resync", "beat"];

/**
 * @typedef {object} Handlers A callback for each kind of message.
 * @property {(isFresh: boolean) => void} opened Whether messages may have been missed.
 * @property {(isOver: boolean) => void} broke Whether the browser will not reconnect.
 * @property {() => void} received Called for every message, before the callback of its kind.
 * @property {(update) => void} changed
 * @property {(outcome) => void} ended
 * @property {(isConnected: boolean) => void} controller
 * @property {(position) => void} resync
 */

/** One page's end of the stream: it is the leader, or receives the messages that the leader forwards. */
class Listener {
    #name;
    #handlers;
    /** The ID of this page among those that share the stream. */
    #id = crypto.getRandomValues(new Uint32Array(2)).join("-");
    #channel = null;
    #stopping = new AbortController();
    #source = null;
    #isOpen = false;
    /** Whether it was opened without a position, so that the list was requested at once. */
    #isFresh = false;
    /** Whether the controller was connected by the last message about it; null before the first. */
    #controller = null;
    /** The ID of the last message with an ID; empty before the first. */
    position;

    /** @param {boolean} takesOver Whether to take the lock from the current leader. */
    constructor(name, { position, stealsLock }, handlers) {
        [this.#name, this.position, this.#handlers] = [name, position, handlers];
        if (navigator.locks === undefined) {
            this.#lead();
            return;
        }
        this.#channel = new BroadcastChannel(name);
        this.#channel.addEventListener("message", ({ data }) => this.#receive(data));
        this.#wait(stealsLock);
        this.#channel.postMessage({ kind: "hello", from: this.#id });
    }

    stop() {
        this.#stopping.abort();
        this.#stopLeading();
        this.#channel?.close();
    }

    /** Waits for the lock, and again after another page has taken it. */
    async #wait(stealsLock) {
        const { signal } = this.#stopping;
        // A request that steals a lock is granted at once and accepts no abort signal.
        const options = stealsLock ? { steal: true } : { signal };
        try {
            await navigator.locks.request(this.#name, options, () => {
                if (signal.aborted) return undefined;
                this.#lead();
                return new Promise((released) => signal.addEventListener("abort", released, { once: true }));
            });
        } catch (error) {
            if (error.name !== "AbortError") throw error;
            if (signal.aborted) return;
            this.#stopLeading();
            this.#wait(false);
        }
    }

    #lead() {
        const query = this.position === "" ? "" : `?after=${this.position}`;
        const source = new EventSource(`/page/live${query}`);
        this.#source = source;
        source.addEventListener("open", () => this.#broadcast({ kind: "opened", after: this.position }));
        source.addEventListener("error", () => {
            this.#broadcast({ kind: "broke", isOver: source.readyState === EventSource.CLOSED });
        });
        for (const event of EVENTS) {
            source.addEventListener(event, ({ data, lastEventId }) =>
                this.#broadcast({ kind: "event", event, data, position: lastEventId }));
        }
    }

    #stopLeading() {
        this.#source?.close();
        this.#source = null;
    }

    /** Forwards a message to the other pages, and handles it. */
    #broadcast(message) {
        if (this.#source === null) return;
        this.#channel?.postMessage(message);
        this.#handle(message);
    }

    /** Handles a message of another page. */
    #receive(message) {
        const isLeader = this.#source !== null;
        switch (message?.kind) {
        case "hello":
            if (!isLeader || !this.#isOpen) break;
            this.#channel.postMessage({ kind: "welcome", to: message.from, controller: this.#controller });
            break;
        case "welcome":
            if (message.to !== this.#id || isLeader || this.#isOpen) break;
            this.position = "";
            this.#opened("");
            if (message.controller !== null) this.#handlers.controller(message.controller === true);
            break;
        case "opened": case "broke": case "event":
            if (!isLeader) this.#handle(message);
        }
    }

    #handle(message) {
        switch (message.kind) {
        case "opened": return this.#opened(message.after);
        case "broke":
            this.#isOpen = false;
            return this.#handlers.broke(message.isOver === true);
        case "event":
            // Messages between the welcome and the first list are handled, too: the page queues them.
            if (this.#isOpen) this.#event(message);
        }
    }

    /** @param {string} after The position of the stream; from another position, this page missed messages. */
    #opened(after) {
        this.#isOpen = true;
        this.#isFresh = after === "" || after !== this.position;
        this.#handlers.opened(this.#isFresh);
    }

    #event({ event, data, position: id }) {
        const value = parsed(data);
        if (value === null) return;
        const position = wire.positionFrom(id);
        if (position !== null) this.position = id;
        const handlers = this.#handlers;
        handlers.received();
        switch (event) {
        case "devices": return handlers.changed({ position, devices: wire.devicesFrom(value.devices) });
        case "gone": return handlers.changed({ position, ids: wire.idsFrom(value.ids) });
        case "outcome": {
            const outcome = wire.outcomeFrom(value);
            return outcome === null ? undefined : handlers.ended(outcome);
        }
        case "controller":
            this.#controller = value.connected === true;
            return handlers.controller(this.#controller);
        case "resync":
            // A stream opened without a position begins with this message; the list was requested already.
            if (position !== null || !this.#isFresh) handlers.resync(position);
        }
    }
}

export class SharedStream {
    #listener = null;
    #session = "";
    /** The last position in the stream of that session. */
    #position = "";

    /**
     * Opens the stream at this page's last position in the same session, otherwise at the current one.
     *
     * @param {string} session Pages of one session share a stream.
     * @param {boolean} takesOver Whether to take the stream from the current leader.
     * @param {Handlers} handlers
     */
    listen(session, stealsLock, handlers) {
        this.close();
        if (session !== this.#session) [this.#session, this.#position] = [session, ""];
        const name = `sensibus.stream.${session}`;
        this.#listener = new Listener(name, { position: this.#position, stealsLock }, handlers);
    }

    close() {
        if (this.#listener === null) return;
        this.#position = this.#listener.position;
        this.#listener.stop();
        this.#listener = null;
    }
}
