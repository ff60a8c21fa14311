// States that replies told before the stream did. Pure: times are handed in.
//
// The reply to a request carries the state in which it left the device. The stream tells the same up to
// 250 ms later, and rows that it sends meanwhile are older. Until it has caught up, the reply counts.

/** Milliseconds after which the stream counts again, whatever it says: longer than it may be silent. */
export const AHEAD_FOR = 30_000;

/** @typedef {import("./wire.js").DeviceState} DeviceState */

export class Replies {
    /** @type {Map<string, {state: DeviceState, replaced: string, until: number}>} By device. */
    #ahead = new Map();

    /**
     * Takes the state that a reply told of a device.
     *
     * @param row As it is known.
     * @param {DeviceState} state
     * @param {string | undefined} expected The incarnation that the request named; undefined for a request of
     *     somebody else.
     * @returns The row with that state; null where the row is as new, or nothing tells which is newer.
     */
    take(row, state, expected, now) {
        const isNewer = row.incarnation === state.incarnation
            ? state.version > row.version
            // The device answered from another incarnation than it was asked in, which the row still has.
            : row.incarnation === expected;
        if (!isNewer) return null;
        this.#ahead.set(row.id, { state, replaced: row.incarnation, until: now + AHEAD_FOR });
        return { ...row, ...state };
    }

    /** A row of the stream or of a list; with the state of a reply where that is newer. */
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

    /** Devices that are gone. */
    forget(ids) { for (const id of ids) this.#ahead.delete(id); }
}
