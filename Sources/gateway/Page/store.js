// What the browser keeps for a time without a connection: the last known list, and that somebody logged out.

import { devicesFrom } from "./wire.js";

const LIST = "sensibus.list";
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

    get owesLogout() { return (this.#storage?.getItem(LOGOUT) ?? null) !== null; }

    /** Forgets the list, and notes whether the gateway has yet to hear that somebody logged out. */
    forget(owesLogout) {
        this.#storage?.removeItem(LIST);
        if (owesLogout) this.#storage?.setItem(LOGOUT, "1");
        else this.#storage?.removeItem(LOGOUT);
    }

    /** Whether an event of the storage says that the list was forgotten elsewhere. */
    static isForgetting(event) { return event.key === LIST && event.newValue === null; }
}
