// What the browser keeps for a time without a connection: the last known list and the desk's rooms, and that
// somebody logged out.

import { keptRosterFrom } from "./rosterwire.js";
import { keptSequencesFrom } from "./sequencewire.js";
import { keptSitesFrom } from "./sitewire.js";
import { devicesFrom, logbookFrom } from "./wire.js";

const LIST = "sensibus.list";
/** How what is kept of each room of the desk is read. */
const DESK = {
    logbook: logbookFrom, sites: keptSitesFrom, roster: keptRosterFrom, sequences: keptSequencesFrom,
};
const LOGOUT = "sensibus.logout";
const VERSION = 1;

export class Store {
    #storage;

    /** @param {Storage | null} storage Null where the browser keeps nothing. */
    constructor(storage) {
        this.#storage = storage;
    }

    /** What this browser keeps, where it lets pages keep anything. */
    static inBrowser() {
        try {
            return new Store(window.localStorage);
        } catch {
            return new Store(null);
        }
    }

    /** The list that was kept last, and whose it is; null where there is none that can be read. */
    list() {
        try {
            const kept = JSON.parse(this.#storage?.getItem(LIST) ?? "null");
            const { version, email, at, devices } = kept ?? {};
            if (version !== VERSION || typeof email !== "string" || !Number.isFinite(at)) return null;
            return { email, at, devices: devicesFrom(devices) };
        } catch {
            return null;
        }
    }

    /** Keeps a list in place of any other; where there is no room for it, none. */
    keep(email, at, devices) {
        try {
            this.#storage?.setItem(LIST, JSON.stringify({ version: VERSION, email, at, devices }));
        } catch {
            this.#storage?.removeItem(LIST);
        }
    }

    /** What was kept last of each room of the desk, and whose it is; null where nothing can be read. */
    desk() {
        return Object.fromEntries(Object.entries(DESK).map(([room, from]) => [room, this.#room(room, from)]));
    }

    /** Keeps what a room has in place of what it had; where there is no room for it, nothing. */
    keepRoom(room, email, kept) {
        const key = keyOf(room);
        try {
            this.#storage?.setItem(key, JSON.stringify({ version: VERSION, email, ...kept }));
        } catch {
            this.#storage?.removeItem(key);
        }
    }

    get owesLogout() { return (this.#storage?.getItem(LOGOUT) ?? null) !== null; }

    /** Forgets all of these, and notes whether the gateway has yet to hear that somebody logged out. */
    forget(owesLogout) {
        this.#storage?.removeItem(LIST);
        for (const room of Object.keys(DESK)) this.#storage?.removeItem(keyOf(room));
        if (owesLogout) this.#storage?.setItem(LOGOUT, "1");
        else this.#storage?.removeItem(LOGOUT);
    }

    /** Whether an event of the storage says that the list was forgotten elsewhere. */
    static isForgetting(event) { return event.key === LIST && event.newValue === null; }

    #room(name, from) {
        try {
            const text = this.#storage?.getItem(keyOf(name)) ?? "null";
            const { version, email, ...kept } = JSON.parse(text) ?? {};
            const value = version === VERSION && typeof email === "string" ? from(kept) : null;
            return value === null ? null : { email, ...value };
        } catch {
            return null;
        }
    }
}

function keyOf(room) { return `sensibus.${room}`; }
