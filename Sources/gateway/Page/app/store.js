// What the browser keeps for a time without a connection: the last known list, the desk's rooms and what is
// being written, and that somebody logged out.

import { keptRosterFrom } from "../duty/rosterwire.js";
import { keptSequencesFrom } from "../queue/sequencewire.js";
import { keptSitesFrom } from "../site/sitewire.js";
import { commandFrom, devicesFrom, draftFrom, logbookFrom } from "./wire.js";

const LIST = "sensibus.list";
/** How what is kept of each room of the desk is read. */
const DESK = {
    logbook: logbookFrom, sites: keptSitesFrom, roster: keptRosterFrom, sequences: keptSequencesFrom,
};
/** Each under a key of its own, so that pages which write different ones do not take them from each other. */
const DRAFT = "sensibus.draft.";
/** The rooms of which nothing is lost with what is kept. */
const FETCHED = ["logbook", "sites", "roster"];
/** Each pending toggle has a key of its own, for the same reason. */
const COMMAND = "sensibus.command.";
const LOGOUT = "sensibus.logout";
/** Is there for a moment when all is forgotten, so that other pages hear of it. */
const FORGOTTEN = "sensibus.forgotten";
const VERSION = 1;

export class Store {
    #storage;
    /** What this page has kept or found of drafts, by their keys: another page's are not taken away. */
    #drafts = new Map();

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
        const isKept = this.#puts(LIST, JSON.stringify({ version: VERSION, email, at, devices }));
        if (!isKept) this.#storage.removeItem(LIST);
    }

    /** What was kept last of each room of the desk, and whose it is; null where nothing can be read. */
    desk() {
        return Object.fromEntries(Object.entries(DESK).map(([room, from]) => [room, this.#room(room, from)]));
    }

    /** Keeps what a room has in place of what it had; where there is no room for it, nothing. */
    keepRoom(room, email, kept) {
        const isKept = this.#puts(keyOf(room), JSON.stringify({ version: VERSION, email, ...kept }));
        if (!isKept) this.#storage.removeItem(keyOf(room));
    }

    /** What was being written, whose it is, and for which post a comment is. */
    drafts() {
        const keys = this.#keys(DRAFT);
        for (const key of keys) this.#drafts.set(key, this.#storage.getItem(key));
        return keys.map((key) => keptDraft(key, this.#drafts.get(key))).filter((one) => one !== null);
    }

    /** Keeps what is being written, or that it is no more; what can be fetched again makes room for it. */
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

    /** Stores a pending toggle if there is room for it. */
    keepCommand(email, command) {
        this.#puts(`${COMMAND}${command.requestId}`, JSON.stringify({ version: VERSION, email, command }));
    }

    dropCommand(requestId) { this.#storage?.removeItem(`${COMMAND}${requestId}`); }

    /**
     * What an event of the storage says of what another page writes: how it was kept, and how it is; null
     * where it says nothing of that.
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
     * Forgets all of these, and notes whether the gateway has yet to hear that somebody logged out.
     *
     * @param {string | null} spared Whose drafts stay; null: nobody's do.
     */
    forget(owesLogout, spared = null) {
        const isSpared = (key) =>
            spared !== null && keptDraft(key, this.#storage.getItem(key))?.email === spared;
        const drafts = this.#keys(DRAFT).filter((key) => !isSpared(key));
        const keys = [LIST, ...Object.keys(DESK).map(keyOf), ...drafts, ...this.#keys(COMMAND)];
        for (const key of keys) this.#storage?.removeItem(key);
        if (owesLogout) this.#storage?.setItem(LOGOUT, "1");
        else this.#storage?.removeItem(LOGOUT);
        // Behind the others: who hears of it finds them gone.
        this.#puts(FORGOTTEN, "1");
        this.#storage?.removeItem(FORGOTTEN);
    }

    /** Whether an event of the storage says that all was forgotten elsewhere. */
    static isForgetting(event) { return event.key === FORGOTTEN && event.newValue !== null; }

    /** Whether there was room for it, or nothing is kept at all. */
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

/** What is kept under a key, if that is something that is being written. */
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
