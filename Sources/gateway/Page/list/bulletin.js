// What there is to be told of the fleet every few seconds: how many devices are online, and what changed.
// Pure: times are handed in.

import { grouped, label, presence, setting } from "../common/words.js";

/** Milliseconds from one to the next, and those that one is to be seen. */
export const EVERY = 5_000;
export const STAYS = 3_000;
/** Devices that are named; the others are counted. */
const NAMED_AT_MOST = 2;

export class Bulletin {
    /**
     * What changed since the last, the latest at the end.
     *
     * @type {Map<string, {name: string, what: string}>}
     */
    #changes = new Map();
    #shown = null;
    #dueAt = null;

    /** A device has come, or has changed. @param before How it was; undefined where it was not there. */
    noteChange(before, row) {
        const what = difference(before, row);
        if (what !== "") this.#note(row, what);
    }

    noteGone(row) { this.#note(row, "removed"); }

    /** Time goes by. @param {() => {online: number, all: number}} counts Says how many devices there are. */
    ticked(counts, now) {
        this.#dueAt ??= now + EVERY;
        if (now < this.#dueAt) return;
        this.#dueAt = now + EVERY;
        const changes = [...this.#changes.values()];
        this.#changes.clear();
        const { online, all } = counts();
        this.#shown = {
            text: `${grouped(online)} of ${grouped(all)} online`,
            changes: changes.slice(-NAMED_AT_MOST).reverse(),
            more: Math.max(0, changes.length - NAMED_AT_MOST),
            until: now + STAYS,
        };
    }

    /** Nothing is told until it is due again: another screen has come, or the connection has gone. */
    hide() { this.#shown = null; }

    /** @returns {{text: string, changes: {name: string, what: string}[], more: number} | null} */
    view(now) { return this.#shown === null || this.#shown.until <= now ? null : this.#shown; }

    #note(row, what) {
        this.#changes.delete(row.id);
        this.#changes.set(row.id, { name: label(row), what });
    }
}

/** How a device differs from what it was, in a word or two; empty where nobody need be told. */
function difference(before, row) {
    if (before === undefined) return "new";
    if (before.presence !== row.presence) return presence(row).toLowerCase();
    if (before.on !== row.on) return row.on ? "on" : "off";
    return setting(before) === setting(row) ? "" : setting(row);
}
