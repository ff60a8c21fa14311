// The bulletin, shown every few seconds: how many devices are online, and what changed. Pure: times are
// parameters.

import { grouped, label, presence, setting } from "../common/texts.js";

/** Milliseconds between two bulletins, and for which one is shown. */
export const EVERY = 5_000;
export const STAYS = 3_000;
/** The maximum number of devices named in a bulletin; the others are counted. */
const NAMED_AT_MOST = 2;

export class Bulletin {
    /**
     * The changes since the last bulletin, the latest last.
     *
     * @type {Map<string, {name: string, what: string}>}
     */
    #changes = new Map();
    #shown = null;
    #dueAt = null;

    /** A device was added or has changed. @param before Its former row; undefined for a new device. */
    recordChange(before, row) {
        const what = difference(before, row);
        if (what !== "") this.#record(row, what);
    }

    recordRemoval(row) { this.#record(row, "removed"); }

    /**
     * Shows a bulletin when it is due. @param {() => {online: number, all: number}} counts Counts the
     * devices.
     */
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

    /** Hides the bulletin until the next one: another screen is shown, or the connection is lost. */
    hide() { this.#shown = null; }

    /** @returns {{text: string, changes: {name: string, what: string}[], more: number} | null} */
    view(now) { return this.#shown === null || this.#shown.until <= now ? null : this.#shown; }

    #record(row, what) {
        this.#changes.delete(row.id);
        this.#changes.set(row.id, { name: label(row), what });
    }
}

/** The change of a device in a word or two; empty for a change that is not shown. */
function difference(before, row) {
    if (before === undefined) return "new";
    if (before.presence !== row.presence) return presence(row).toLowerCase();
    if (before.on !== row.on) return row.on ? "on" : "off";
    return setting(before) === setting(row) ? "" : setting(row);
}
