// The roster of the account.

import { ROSTER } from "./address.js";
import { intervalIn, Roster } from "./roster.js";
import { RosterScreen } from "./rosterscreen.js";
import { rosterView } from "./rosterview.js";
import { rosterFrom, storedRosterFrom } from "./rosterwire.js";

/** @type {import("../common/feature.js").Feature} */
export const feature = {
    name: "roster",
    screens: [{
        name: "roster", parents: ["list"], addresses: [ROSTER], view: rosterView,
        make: ({ model, handle, back, times }) => new RosterScreen({
            refresh: () => handle(() => model.services.roster.refreshAsked()), back,
        }, times),
    }],
    service: ({ connection, perform, query }) => new Roster(connection, perform, intervalIn(query)),
    stored: { from: storedRosterFrom },
    effects: ({ model, gateway, attempt }) => ({
        roster: () => attempt(gateway.get("/page/roster", rosterFrom), {
            done: (roster, now) => model.services.roster.came(roster, now),
            failed: (error, now) => model.services.roster.failed(error.message, now),
        }),
    }),
};
