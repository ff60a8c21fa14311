// What the browser keeps for a time without a connection: the last known list and logbook, and that somebody
// logged out.

import { devicesFrom, logbookFrom } from "./wire.js";

const LIST = "sensibus.list";
const LOGBOOK = "sensibus.logbook";
const LOGOUT = "sensibus.logout";
const VERSION = 1;

export class Store {
    #storage;

    /** @param {Storage | null} storage Null where the browser keeps nothing. */
    constructor(storage) {
        this.#storage = storage;
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

    /** The logbook that was kept last, and whose it is; null where there is none that can be read. */
    logbook() {
        try {
            const { version, email, ...kept } = JSON.parse(this.#storage?.getItem(LOGBOOK) ?? "null") ?? {};
            const logbook = version === VERSION && typeof email === "string" ? logbookFrom(kept) : null;
            return logbook === null ? null : { email, ...logbook };
        } catch {
            return null;
        }
    }

    /** Keeps a logbook in place of any other; where there is no room for it, none. */
    keepLogbook(email, kept) {
        try {
            this.#storage?.setItem(LOGBOOK, JSON.stringify({ version: VERSION, email, ...kept }));
        } catch {
            this.#storage?.removeItem(LOGBOOK);
        }
    }

    get owesLogout() { return (this.#storage?.getItem(LOGOUT) ?? null) !== null; }

    /** Forgets list and logbook, and notes whether the gateway has yet to hear that somebody logged out. */
    forget(owesLogout) {
        this.#storage?.removeItem(LIST);
        this.#storage?.removeItem(LOGBOOK);
        if (owesLogout) this.#storage?.setItem(LOGOUT, "1");
        else this.#storage?.removeItem(LOGOUT);
    }

    /** Whether an event of the storage says that the list was forgotten elsewhere. */
    static isForgetting(event) { return event.key === LIST && event.newValue === null; }
}
