// Decodes and validates the gateway's JSON of the roster. Pure.

import { BODY_AT_MOST, isNumber, isObject, listOf, text } from "../common/wire.js";

const SHIFTS_AT_MOST = 5_000;

/**
 * The roster, with the upcoming shifts.
 *
 * @returns {{version: number, name: string, message: string, isEnforced: boolean, shiftCount: number,
 *     shifts: import("./shifts.js").Shift[]} | null} Null for invalid data; texts are untrusted.
 */
export function rosterFrom(value) {
    if (!isObject(value) || !isNumber(value.version, 0) || !Array.isArray(value.shifts)) return null;
    const shifts = listOf(value.shifts, SHIFTS_AT_MOST, shiftFrom);
    return {
        version: value.version,
        name: text(value.name),
        message: text(value.message, BODY_AT_MOST),
        isEnforced: value.isEnforced === true,
        shiftCount: isNumber(value.shiftCount, 0) ? value.shiftCount : shifts.length,
        shifts: shifts.sort((one, other) => one.from - other.from || one.to - other.to),
    };
}

/** The stored roster with its time; null for invalid data. */
export function storedRosterFrom(value) {
    if (!isObject(value) || !Number.isFinite(value.at)) return null;
    const roster = rosterFrom(value.roster);
    return roster === null ? null : { at: value.at, roster };
}

function shiftFrom(value) {
    if (!isObject(value)) return null;
    const [from, to] = [value.fromMs ?? value.from, value.toMs ?? value.to];
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from >= to) return null;
    return { who: text(value.who), email: text(value.email), from, to };
}
