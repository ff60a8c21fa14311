// The data that the browser stores for use without a connection: the last known list, the account services
// and drafts, and whether the user has logged out.

import { keptRosterFrom } from "../duty/rosterwire.js";
import { keptSequencesFrom } from "../queue/sequencewire.js";
import { keptSitesFrom } from "../site/sitewire.js";
import { commandFrom, devicesFrom, draftFrom, logbookFrom } from "./wire.js";

const LIST = "sensibus.list";
/** The decoders of the stored account services. */
const DESK = {
    logbook: logbookFrom, sites: keptSitesFrom, roster: keptRosterFrom, sequences: keptSequencesFrom,
};
/** Each draft has a key of its own, so that pages do not overwrite each other's drafts. */
const DRAFT = "sensibus.draft.";
/** The account services whose stored data can be fetched again. */
const FETCHED = ["logbook", "sites", "roster"];
/** Each pending toggle has a key of its own, for the same reason. */
const COMMAND = "sensibus.command.";
const LOGOUT = "sensibus.logout";
/** Set for a moment when all data is removed, to notify other pages. */
const FORGOTTEN = "sensibus.forgotten";
const VERSION = 1;

export class Store {
    #storage;
    /**
     * The drafts that this page has stored or read, by their keys; it does not remove those of other pages.
     */
    #drafts = new Map();

    /** @param {Storage | null} storage Null if the browser stores nothing. */
    constructor(storage) {
        this.#storage = storage;
    }

    /** The store of this browser, if pages may use it. */
    static inBrowser() {
        try {
            return new Store(window.localStorage);
        } catch {
            return new Store(null);
        }
    }

    /** The stored list with its user's email; null if it is missing or invalid. */
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

    /** Stores a list in place of the former one; removes it if the storage is full. */
    keep(email, at, devices) {
        const isKept = this.#puts(LIST, JSON.stringify({ version: VERSION, email, at, devices }));
        if (!isKept) this.#storage.removeItem(LIST);
    }

    /** The stored data of each account service with its user's email; null if it is missing or invalid. */
    desk() {
        return Object.fromEntries(Object.entries(DESK).map(([room, from]) => [room, this.#room(room, from)]));
    }

    /** Stores the data of an account service; removes it if the storage is full. */
    keepRoom(room, email, kept) {
        const isKept = this.#puts(keyOf(room), JSON.stringify({ version: VERSION, email, ...kept }));
        if (!isKept) this.#storage.removeItem(keyOf(room));
    }

    /** The stored drafts with their users' emails and the number of the post. */
    drafts() {
        const keys = this.#keys(DRAFT);
        for (const key of keys) this.#drafts.set(key, this.#storage.getItem(key));
        return keys.map((key) => keptDraft(key, this.#drafts.get(key))).filter((one) => one !== null);
    }

    /** Stores or removes a draft; data that can be fetched again makes room for it. */
    keepDraft(number, email, draft) {
        const key = `${DRAFT}${number}`;
        if (draft === null) {
            if (this.#storage?.getItem(key) === this.#drafts.get(key)) this.#storage?.removeItem(key);
            return;
        }
        const text = JSON.stringify({ version: VERSION, email, ...draft });
        if (!this.#puts(key, text)) {
            for (const other of [LIST, ...FETCHED.map(keyOf)]) this.#storage.removeItem(other);
            if (!this.#puts(key, text)) return;
        }
        this.#drafts.set(key, text);
    }

    /** The stored toggles, each with its user's email, the latest first. */
    commands() {
        const kept = this.#keys(COMMAND).map((key) => keptCommand(this.#storage.getItem(key)));
        return kept.filter((one) => one !== null)
            .sort((one, other) => other.command.askedAt - one.command.askedAt);
    }

    /** Stores a pending toggle, unless the storage is full. */
    keepCommand(email, command) {
        this.#puts(`${COMMAND}${command.requestId}`, JSON.stringify({ version: VERSION, email, command }));
    }

    dropCommand(requestId) { this.#storage?.removeItem(`${COMMAND}${requestId}`); }

    /**
     * Decodes a storage event about a draft of another page: its former and its current state; null for any
     * other event.
     */
    static draftIn({ key, newValue, oldValue }) {
        const [before, after] = [keptDraft(key, oldValue), keptDraft(key, newValue)];
        const known = after ?? before;
        if (known === null) return null;
        const { email, number } = known;
        return { email, number, before: before?.draft ?? null, after: after?.draft ?? null };
    }

    get owesLogout() { return (this.#storage?.getItem(LOGOUT) ?? null) !== null; }

    /**
     * Removes all data, and stores whether the gateway must still be told of the log-out.
     *
     * @param {string | null} spared The email of the user whose drafts stay; null for none.
     */
    forget(owesLogout, spared = null) {
        const isSpared = (key) =>
            spared !== null && keptDraft(key, this.#storage.getItem(key))?.email === spared;
        const drafts = this.#keys(DRAFT).filter((key) => !isSpared(key));
        const keys = [LIST, ...Object.keys(DESK).map(keyOf), ...drafts, ...this.#keys(COMMAND)];
        for (const key of keys) this.#storage?.removeItem(key);
        if (owesLogout) this.#storage?.setItem(LOGOUT, "1");
        else this.#storage?.removeItem(LOGOUT);
        // This comes last, so that notified pages find the data removed.
        this.#puts(FORGOTTEN, "1");
        this.#storage?.removeItem(FORGOTTEN);
    }

    /** Whether a storage event reports that another page has removed all data. */
    static isForgetting(event) { return event.key === FORGOTTEN && event.newValue !== null; }

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

/** Decodes the draft under a key; null for other keys and invalid data. */
function keptDraft(key, text) {
    const number = key?.startsWith(DRAFT) ? key.slice(DRAFT.length) : "";
    if (!/^\d{1,15}$/.test(number)) return null;
    try {
        const { version, email, ...kept } = JSON.parse(text ?? "null") ?? {};
        if (version !== VERSION || typeof email !== "string") return null;
        return { number: Number(number), email, draft: draftFrom(kept) };
    } catch {
        return null;
    }
}

/** A stored toggle with its user's email; null for unreadable text. */
function keptCommand(text) {
    try {
        const { version, email, command } = JSON.parse(text ?? "null") ?? {};
        const kept = version === VERSION && typeof email === "string" ? commandFrom(command) : null;
        return kept === null ? null : { email, command: kept };
    } catch {
        return null;
    }
}

function keyOf(room) { return `sensibus.${room}`; }
