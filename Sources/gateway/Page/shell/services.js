// The account services of the page. Pure, like each of the services.

import { Roster } from "../duty/roster.js";
import { Logbook } from "../logbook/logbook.js";
import { Queues } from "../queue/queues.js";
import { Sites } from "../site/sites.js";

/**
 * The account services by name. Each has `opened(route)`, called for the shown screen; `dataToStore()`, which
 * returns the data to store; `store()`, which stores it; and `restore(stored)`, which restores it. Some have
 * `ticked(now)`, called at each tick.
 *
 * @param {import("../common/connection.js").Connection} connection
 * @param {import("../common/notices.js").Notices} notices
 * @param {(effect: {do: string}) => void} perform Performs an effect.
 * @param {{rosterInterval?: number}} wishes Options from the page's address.
 */
export function servicesOf(connection, notices, perform, { rosterInterval } = {}) {
    return {
        logbook: new Logbook(connection, notices, perform),
        sites: new Sites(connection, perform),
        roster: new Roster(connection, perform, rosterInterval),
        queues: new Queues(connection, perform),
    };
}
