// Who is on duty when. Pure: of shifts in the order in which they begin, and of a time; as the controller,
// `fleet` and the observer have it.

/**
 * @typedef {object} Shift
 * @property {string} who Text of strangers.
 * @property {string} email By which they log in; empty where nobody said.
 * @property {number} from When it begins, in milliseconds since 1970.
 * @property {number} to When it has ended: at that time it is over.
 */

/** Who it is of, to tell people apart. */
const personOf = ({ who, email }) => email === "" ? who : email;

/** Who is on duty then: one shift of each person, the one that ends last. */
export function onDuty(shifts, at) {
    const last = new Map();
    for (const shift of shifts) {
        if (shift.from > at || shift.to <= at) continue;
        const known = last.get(personOf(shift));
        if (known === undefined || known.to < shift.to) last.set(personOf(shift), shift);
    }
    return shifts.filter((shift) => last.get(personOf(shift)) === shift);
}

/** Whether the user of an email is on duty then. */
export function isOnDuty(shifts, email, at) {
    return shifts.some((shift) => shift.email === email && shift.from <= at && at < shift.to);
}

/** From when on somebody is on duty: that time, if anybody is then; null: never again. */
export function nextDuty(shifts, at) {
    const next = shifts.find((shift) => shift.to > at);
    return next === undefined ? null : Math.max(next.from, at);
}

/** The shifts that begin later. */
export function upcoming(shifts, at) { return shifts.filter((shift) => shift.from > at); }
