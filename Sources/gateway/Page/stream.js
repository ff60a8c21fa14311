// The stream of what changes: one connection to the gateway for all visible pages of a browser.
//
// A browser opens six connections to a server. So one page, which holds a lock, has the stream and passes
// each message on to the others. When it is closed or hidden it releases the lock, and another page continues
// at the position that it has read. A browser grants locks only over HTTPS and on this machine; elsewhere
// each visible page has a stream of its own.

import * as wire from "./wire.js";

const EVENTS = ["devices", "gone", "outcome", "controller", "resync", "beat"];

/**
 * @typedef {object} Hears A function for each message.
 * @property {(isFresh: boolean) => void} opened Whether messages may have been missed.
 * @property {(isOver: boolean) => void} broke Whether the browser will not mend the stream.
 * @property {() => void} heard Any message of the gateway; the others follow it.
 * @property {(word) => void} changed
 * @property {(outcome) => void} ended
 * @property {(isConnected: boolean) => void} controller
 * @property {(position) => void} resync
 */

/** One page's part in the stream: it has it, or follows the page that does. */
class Listener {
    #name;
    #hears;
    /** Names this page among those that listen. */
    #id = crypto.getRandomValues(new Uint32Array(2)).join("-");
    #channel = null;
    #ending = new AbortController();
    #source = null;
    #isOpen = false;
    /** Whether it was opened without a position, so that the list was asked for at once. */
    #isFresh = false;
    /** What the stream said of the controller last; null where it has said nothing. */
    #controller = null;
    /** The id of the last message that had one; empty before the first. */
    position;

    /** @param {boolean} takesOver Whether a page that has the stream has to give it up. */
    constructor(name, { position, takesOver }, hears) {
        [this.#name, this.position, this.#hears] = [name, position, hears];
        if (navigator.locks === undefined) {
            this.#lead();
            return;
        }
        this.#channel = new BroadcastChannel(name);
        this.#channel.addEventListener("message", ({ data }) => this.#take(data));
        this.#wait(takesOver);
        this.#channel.postMessage({ kind: "hello", from: this.#id });
    }

    end() {
        this.#ending.abort();
        this.#stopLeading();
        this.#channel?.close();
    }

    /** Waits for the lock, and again where another page took it away. */
    async #wait(takesOver) {
        const { signal } = this.#ending;
        // A request that takes a lock away cannot be given up: it is granted at once.
        const options = takesOver ? { steal: true } : { signal };
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
        source.addEventListener("open", () => this.#tell({ kind: "opened", after: this.position }));
        source.addEventListener("error", () => {
            this.#tell({ kind: "broke", isOver: source.readyState === EventSource.CLOSED });
        });
        for (const event of EVENTS) {
            source.addEventListener(event, ({ data, lastEventId }) =>
                this.#tell({ kind: "event", event, data, position: lastEventId }));
        }
    }

    #stopLeading() {
        this.#source?.close();
        this.#source = null;
    }

    /** Passes a message on to the other pages, and takes it. */
    #tell(message) {
        if (this.#source === null) return;
        this.#channel?.postMessage(message);
        this.#hear(message);
    }

    /** Takes what another page says. */
    #take(message) {
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
            if (message.controller !== null) this.#hears.controller(message.controller === true);
            break;
        case "opened": case "broke": case "event":
            if (!isLeader) this.#hear(message);
        }
    }

    #hear(message) {
        switch (message.kind) {
        case "opened": return this.#opened(message.after);
        case "broke":
            this.#isOpen = false;
            return this.#hears.broke(message.isOver === true);
        case "event":
            // What comes between the welcome and the first list is heard as well: it waits for the list.
            if (this.#isOpen) this.#event(message);
        }
    }

    /** @param {string} after Where the stream goes on; messages were missed where this page is elsewhere. */
    #opened(after) {
        this.#isOpen = true;
        this.#isFresh = after === "" || after !== this.position;
        this.#hears.opened(this.#isFresh);
    }

    #event({ event, data, position: id }) {
        const value = parsed(data);
        if (value === null) return;
        const position = wire.positionFrom(id);
        if (position !== null) this.position = id;
        const hears = this.#hears;
        hears.heard();
        switch (event) {
        case "devices": return hears.changed({ position, devices: wire.devicesFrom(value.devices) });
        case "gone": return hears.changed({ position, ids: wire.idsFrom(value.ids) });
        case "outcome": {
            const outcome = wire.outcomeFrom(value);
            return outcome === null ? undefined : hears.ended(outcome);
        }
        case "controller":
            this.#controller = value.connected === true;
            return hears.controller(this.#controller);
        case "resync":
            // The first message of a stream without a position says so, too.
            if (position !== null || !this.#isFresh) hears.resync(position);
        }
    }
}

export class SharedStream {
    #listener = null;
    #session = "";
    /** The position that was reached in that session. */
    #position = "";

    /**
     * Listens to what changes, from where this page was in the same session, otherwise from now on.
     *
     * @param {string} session Pages of one session share a stream.
     * @param {boolean} takesOver Whether a page that has the stream has to give it up.
     * @param {Hears} hears
     */
    listen(session, takesOver, hears) {
        this.close();
        if (session !== this.#session) [this.#session, this.#position] = [session, ""];
        const name = `sensibus.stream.${session}`;
        this.#listener = new Listener(name, { position: this.#position, takesOver }, hears);
    }

    /** Listens no more. */
    close() {
        if (this.#listener === null) return;
        this.#position = this.#listener.position;
        this.#listener.end();
        this.#listener = null;
    }
}

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}
