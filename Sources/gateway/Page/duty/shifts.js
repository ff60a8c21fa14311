// Computes who is on duty at a time. Pure: functions of shifts in the order of their start, with the same
// rules as the controller, `fleet` and the observer.

/**
 * @typedef {object} Shift
 * @property {string} who Untrusted text.
 * @property {string} email The email address for log-in; empty if unknown.
 * @property {number} from The start, in milliseconds since 1970.
 * @property {number} to The end, exclusive.
 */

const personOf = ({ who, email }) => email === "" ? who : email;

/** The shifts of the people on duty at a time: for each person the one that ends last. */
export function onDuty(shifts, at) {
    const last = new Map();
    for (const shift of shifts) {
        if (shift.from > at || shift.to <= at) continue;
        const known = last.get(personOf(shift));
        if (known === undefined || known.to < shift.to) last.set(personOf(shift), shift);
    }
    return shifts.filter((shift) => last.get(personOf(shift)) === shift);
}

/** Whether the user with an email address is on duty at a time. */
export function isOnDuty(shifts, email, at) {
    return shifts.some((shift) => shift.email === email && shift.from <= at && at < shift.to);
}

/** The next time at which a person is on duty, which may be the given time; null for never. */
export function nextDuty(shifts, at) {
    const next = shifts.find((shift) => shift.to > at);
    return next === undefined ? null : Math.max(next.from, at);
}

export function upcoming(shifts, at) { return shifts.filter((shift) => shift.from > at); }
