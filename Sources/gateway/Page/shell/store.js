// The data that the browser stores for use without a connection: the last known list, the account services
// and drafts, and whether the user has logged out.

import { parsed } from "../common/wire.js";
import { commandFrom, devicesFrom } from "../fleet/fleetwire.js";
import { draftFrom } from "../logbook/logbookwire.js";

const LIST = "sensibus.list";
/** Each draft has a key of its own, so that pages do not overwrite each other's drafts. */
const DRAFT = "sensibus.draft.";
/** Each pending toggle has a key of its own, for the same reason. */
const COMMAND = "sensibus.command.";
const LOGOUT = "sensibus.logout";
/** Set for a moment when all data is removed, to notify other pages. */
const CLEARED = "sensibus.forgotten";
const VERSION = 1;

export class Store {
    #storage;
    /** @type {Map<string, {from(value), key: string, isFetched: boolean}>} The account services by name. */
    #services;
    /**
     * The drafts that this page has stored or read, by their keys; it does not remove those of other pages.
     */
    #drafts = new Map();

    /**
     * @param {Storage | null} storage Null if the browser stores nothing.
     * @param {import("../common/feature.js").Feature[]} features
     */
    constructor(storage, features) {
        this.#storage = storage;
        const served = features.filter(({ stored }) => stored !== undefined);
        this.#services = new Map(served.map(({ name, stored }) =>
            [name, { key: `sensibus.${name}`, isFetched: true, ...stored }]));
    }

    /** The store of this browser, if pages may use it. */
    static inBrowser(features) {
        try {
            return new Store(window.localStorage, features);
        } catch {
            return new Store(null, features);
        }
    }

    /** The stored list with its user's email; null if it is missing or invalid. */
    list() {
        const { email, stored } = dataIn(this.#storage?.getItem(LIST)) ?? {};
        if (!Number.isFinite(stored?.at)) return null;
        return { email, at: stored.at, devices: devicesFrom(stored.devices) };
    }

    /** Stores a list in place of the former one; removes it if the storage is full. */
    storeList(email, at, devices) {
        const isStored = this.#puts(LIST, JSON.stringify({ version: VERSION, email, at, devices }));
        if (!isStored) this.#storage.removeItem(LIST);
    }

    /** The stored data of each account service with its user's email; null if it is missing or invalid. */
    services() {
        return Object.fromEntries([...this.#services].map(([name, { key, from }]) => {
            const { email, stored } = dataIn(this.#storage?.getItem(key)) ?? {};
            const value = stored === undefined ? null : from(stored);
            return [name, value === null ? null : { email, ...value }];
        }));
    }

    /** Stores the data of an account service; removes it if the storage is full. */
    storeService(service, email, stored) {
        const { key } = this.#services.get(service);
        const isStored = this.#puts(key, JSON.stringify({ version: VERSION, email, ...stored }));
        if (!isStored) this.#storage.removeItem(key);
    }

    /** The stored drafts with their users' emails and the number of the post. */
    drafts() {
        const keys = this.#keys(DRAFT);
        for (const key of keys) this.#drafts.set(key, this.#storage.getItem(key));
        return keys.map((key) => storedDraft(key, this.#drafts.get(key))).filter((one) => one !== null);
    }

    /** Stores or removes a draft; data that can be fetched again makes room for it. */
    storeDraft(number, email, draft) {
        const key = `${DRAFT}${number}`;
        if (draft === null) {
            if (this.#storage?.getItem(key) === this.#drafts.get(key)) this.#storage?.removeItem(key);
            return;
        }
        const text = JSON.stringify({ version: VERSION, email, ...draft });
        if (!this.#puts(key, text)) {
            const fetched = [...this.#services.values()].filter(({ isFetched }) => isFetched);
            for (const other of [LIST, ...fetched.map((one) => one.key)]) this.#storage.removeItem(other);
            if (!this.#puts(key, text)) return;
        }
        this.#drafts.set(key, text);
    }

    /** The stored toggles, each with its user's email, the latest first. */
    commands() {
        const stored = this.#keys(COMMAND).map((key) => storedCommand(this.#storage.getItem(key)));
        return stored.filter((one) => one !== null)
            .sort((one, other) => other.command.askedAt - one.command.askedAt);
    }

    /** Stores a pending toggle, unless the storage is full. */
    storeCommand(email, command) {
        this.#puts(`${COMMAND}${command.requestId}`, JSON.stringify({ version: VERSION, email, command }));
    }

    dropCommand(requestId) { this.#storage?.removeItem(`${COMMAND}${requestId}`); }

    /**
     * Decodes a storage event about a draft of another page: its former and its current state; null for any
     * other event.
     */
    static draftIn({ key, newValue, oldValue }) {
        const [before, after] = [storedDraft(key, oldValue), storedDraft(key, newValue)];
        const known = after ?? before;
        if (known === null) return null;
        const { email, number } = known;
        return { email, number, before: before?.draft ?? null, after: after?.draft ?? null };
    }

    get owesLogout() { return (this.#storage?.getItem(LOGOUT) ?? null) !== null; }

    /**
     * Removes all data, and stores whether the gateway must still be notified of the log-out.
     *
     * @param {string | null} spared The email of the user whose drafts stay; null for none.
     */
    clear(owesLogout, spared = null) {
        const isSpared = (key) =>
            spared !== null && storedDraft(key, this.#storage.getItem(key))?.email === spared;
        const drafts = this.#keys(DRAFT).filter((key) => !isSpared(key));
        const services = [...this.#services.values()].map(({ key }) => key);
        const keys = [LIST, ...services, ...drafts, ...this.#keys(COMMAND)];
        for (const key of keys) this.#storage?.removeItem(key);
        if (owesLogout) this.#storage?.setItem(LOGOUT, "1");
        else this.#storage?.removeItem(LOGOUT);
        // This comes last, so that notified pages find the data removed.
        this.#puts(CLEARED, "1");
        this.#storage?.removeItem(CLEARED);
    }

    /** Whether a storage event reports that another page has removed all data. */
    static isClearing(event) { return event.key === CLEARED && event.newValue !== null; }

    /** Stores a text; returns false if the storage is full, true also if the browser stores nothing. */
    #puts(key, text) {
        try {
            this.#storage?.setItem(key, text);
            return true;
        } catch {
            return false;
        }
    }

    #keys(prefix) {
        const length = this.#storage?.length ?? 0;
        const keys = Array.from({ length }, (_, index) => this.#storage.key(index));
        return keys.filter((key) => key.startsWith(prefix));
    }
}

/** The data in a stored text, and its user's email; null for invalid text. */
function dataIn(text) {
    const { version, email, ...stored } = parsed(text ?? "null") ?? {};
    return version === VERSION && typeof email === "string" ? { email, stored } : null;
}

/** Decodes the draft under a key; null for other keys and invalid data. */
function storedDraft(key, text) {
    const number = key?.startsWith(DRAFT) ? key.slice(DRAFT.length) : "";
    const { email, stored } = (/^\d{1,15}$/.test(number) ? dataIn(text) : null) ?? {};
    return stored === undefined ? null : { number: Number(number), email, draft: draftFrom(stored) };
}

/** A stored toggle with its user's email; null for unreadable text. */
function storedCommand(text) {
    const { email, stored } = dataIn(text) ?? {};
    const command = commandFrom(stored?.command);
    return command === null ? null : { email, command };
}
