// The view of the roster, as texts and flags. Pure: a function of the model and the time.

import { FLEET } from "../common/command.js";
import { datedConnectionView } from "../common/connectionview.js";
import * as texts from "../common/texts.js";
import { nextDuty, onDuty, upcoming } from "./shifts.js";

const NEVER_READ = "You’re offline, and the roster hasn’t been loaded on this device yet.";
const NO_SHIFTS = `No upcoming shifts. Owners can import them: ${FLEET} roster import FILE.`;
/** The gateway sends only the shifts that start within that time, and the number of all. */
const NONE_SOON = "No shift starts within the next 31 days.";
const NOTHING = { users: [], isStaffed: false, hasShifts: false, unstaffedUntil: null, message: "" };
export const LISTED_AT_MOST = 500;

/**
 * The users on duty now, and the message of the day; null without either.
 *
 * @returns {{users: {who: string, until: number}[], unstaffedUntil: number | null, isStaffed: boolean,
 *     message: string, error: string} | null} Times are milliseconds since 1970.
 */
export function dutyView(model, now) {
    const { roster } = model.services;
    const { known, error } = roster;
    if (known === null) return error === "" ? null : { ...NOTHING, error: failure(error) };
    const hasShifts = known.shiftCount > 0 || known.shifts.length > 0;
    if (!hasShifts && known.message === "" && error === "") return null;
    const users = onDuty(known.shifts, now).map(personView);
    return {
        users, hasShifts,
        isStaffed: users.length > 0,
        unstaffedUntil: users.length > 0 ? null : nextDuty(known.shifts, now),
        message: known.message,
        error: error === "" ? "" : `${failure(error)} Last updated ${texts.ago(now - roster.asOf)}.`,
    };
}

export function rosterView(model, now) {
    const { connection } = model;
    const { roster } = model.services;
    const { known } = roster;
    const shifts = known === null ? [] : upcoming(known.shifts, now);
    const rest = shifts.length - LISTED_AT_MOST;
    return {
        connection: datedConnectionView(model, known === null ? undefined : roster.asOf, now),
        duty: dutyView(model, now),
        name: known?.name ?? "",
        rows: shifts.slice(0, LISTED_AT_MOST)
            .map(({ who, from, to }) => ({ who: texts.visible(who, "Unnamed"), from, to })),
        more: rest > 0 ? `and ${texts.grouped(rest)} more` : "",
        nothing: nothing(model, shifts),
        rule: known?.isEnforced === true ? "Only owners and people on duty can switch devices." : "",
        canRefresh: connection.isLive && !roster.isLoading,
        isRefreshing: roster.isLoading,
    };
}

function personView({ who, to }) { return { who: texts.visible(who, "Unnamed"), until: to }; }

function failure(error) { return `Couldn’t load the roster: ${texts.clause(error)}`; }

function nothing({ connection, services: { roster } }, shifts) {
    if (shifts.length > 0) return "";
    if (roster.known !== null) return roster.known.shiftCount === 0 ? NO_SHIFTS : NONE_SOON;
    if (!connection.isLive) return NEVER_READ;
    return roster.error === "" ? "Loading…" : "";
}
