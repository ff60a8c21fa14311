// States in replies that are newer than the stream. Pure: times are parameters.
//
// The reply to a request carries the device's new state. The stream has the same state up to 250 ms later,
// and until then its rows are older. Rows that are older than the reply do not replace the reply's state.

/** Milliseconds after which rows of the stream replace a reply in any case; longer than it may be silent. */
export const AHEAD_FOR = 30_000;

/** @typedef {import("./fleetwire.js").DeviceState} DeviceState */

export class Replies {
    /** @type {Map<string, {state: DeviceState, replaced: string, until: number}>} By device. */
    #ahead = new Map();

    /**
     * Merges the state in a reply into a row.
     *
     * @param row The last known row of the device.
     * @param {DeviceState} state
     * @param {string | undefined} expected The incarnation that the request named; undefined for a request
     *     that another client sent.
     * @returns The row with that state; null if the row is as new, or if it is unknown which is newer.
     */
    merge(row, state, expected, now) {
        const isNewer = row.incarnation === state.incarnation
            ? state.version > row.version
            // The device has lost its memory since the request was sent: its incarnation is a new one.
            : row.incarnation === expected;
        if (!isNewer) return null;
        this.#ahead.set(row.id, { state, replaced: row.incarnation, until: now + AHEAD_FOR });
        return { ...row, ...state };
    }

    /** Returns a row of the stream or of a list, with the state of a reply if that is newer. */
    newest(row, now) {
        const ahead = this.#ahead.get(row.id);
        if (ahead === undefined) return row;
        const { state, replaced, until } = ahead;
        const isOlder = row.incarnation === state.incarnation
            ? row.version < state.version : row.incarnation === replaced;
        if (isOlder && now < until) return { ...row, ...state };
        this.#ahead.delete(row.id);
        return row;
    }

    remove(ids) { for (const id of ids) this.#ahead.delete(id); }
}
