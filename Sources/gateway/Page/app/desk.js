// What an account has beside its devices. Pure, as each of its rooms is.

import { Logbook } from "../logbook/logbook.js";
import { Roster } from "../duty/roster.js";
import { Sequences } from "../queue/sequences.js";
import { Sites } from "../site/sites.js";

/**
 * The rooms of an account, by name. Each has `opened(route)`, which is told which screen is shown, `kept()`,
 * what is kept for a time without a connection, `keep()`, which has it kept, and `recall(kept)`; some have
 * `ticked(now)`, for which time goes by.
 *
 * @param {import("./connection.js").Connection} connection
 * @param {import("./notices.js").Notices} notices
 * @param {(effect: import("./model.js").Effect) => void} perform Takes each effect.
 * @param {{rosterInterval?: number}} wishes Of who opened the page.
 */
export function deskOf(connection, notices, perform, { rosterInterval } = {}) {
    return {
        logbook: new Logbook(connection, notices, perform),
        sites: new Sites(connection, perform),
        roster: new Roster(connection, perform, rosterInterval),
        sequences: new Sequences(connection, perform),
    };
}
