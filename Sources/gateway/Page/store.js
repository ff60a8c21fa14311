// What the browser keeps for a time without a connection: the last known list, logbook and sites, and that
// somebody logged out.

import { keptSitesFrom } from "./sitewire.js";
import { devicesFrom, logbookFrom } from "./wire.js";

const LIST = "sensibus.list";
const LOGBOOK = "sensibus.logbook";
const SITES = "sensibus.sites";
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

    /** The logbook that was kept last, and whose it is; null where there is none that can be read. */
    logbook() { return this.#read(LOGBOOK, logbookFrom); }

    /** Keeps a logbook in place of any other; where there is no room for it, none. */
    keepLogbook(email, kept) { this.#write(LOGBOOK, email, kept); }

    /** The sites that were kept last, and whose they are; null where there are none that can be read. */
    sites() { return this.#read(SITES, keptSitesFrom); }

    /** Keeps sites in place of any others; where there is no room for them, none. */
    keepSites(email, kept) { this.#write(SITES, email, kept); }

    get owesLogout() { return (this.#storage?.getItem(LOGOUT) ?? null) !== null; }

    /** Forgets all of these, and notes whether the gateway has yet to hear that somebody logged out. */
    forget(owesLogout) {
        this.#storage?.removeItem(LIST);
        this.#storage?.removeItem(LOGBOOK);
        this.#storage?.removeItem(SITES);
        if (owesLogout) this.#storage?.setItem(LOGOUT, "1");
        else this.#storage?.removeItem(LOGOUT);
    }

    /** Whether an event of the storage says that the list was forgotten elsewhere. */
    static isForgetting(event) { return event.key === LIST && event.newValue === null; }

    #read(key, read) {
        try {
            const { version, email, ...kept } = JSON.parse(this.#storage?.getItem(key) ?? "null") ?? {};
            const value = version === VERSION && typeof email === "string" ? read(kept) : null;
            return value === null ? null : { email, ...value };
        } catch {
            return null;
        }
    }

    #write(key, email, kept) {
        try {
            this.#storage?.setItem(key, JSON.stringify({ version: VERSION, email, ...kept }));
        } catch {
            this.#storage?.removeItem(key);
        }
    }
}
