// The view of the list of devices, as texts and flags. Pure: a function of the model and the time.

import { connectionView } from "../common/connectionview.js";
import * as texts from "../common/texts.js";
import { doing, powerView, since, stateText, toneOfRow } from "../fleet/fleetview.js";
import { dutyView } from "../duty/rosterview.js";
import { queueView } from "../queue/queuesview.js";

const SETTLING = "The controller just started; some devices may still be missing.";

/** The screen with all devices, and the cards on it. */
export function listView(model, now) {
    const { fleet } = model;
    const { devices } = fleet;
    const ids = devices.shown;
    return {
        account: model.connection.session?.account ?? "",
        email: model.email,
        connection: connectionView(model, now),
        ids,
        row: (id) => rowView(model, id, now),
        duty: dutyView(model, now),
        queue: queueView(model, now),
        summary: summary(fleet, ids),
        filter: devices.filter.text,
        filterProblem: filterProblem(devices.filter, ids),
        nothing: nothing(fleet, ids),
        isRefreshing: fleet.isRefreshing,
        canRefresh: model.connection.isLive && !fleet.isRefreshing,
        hint: fleet.isSettling ? SETTLING : model.connection.isOffDuty ? texts.OFF_DUTY : "",
    };
}

/** A row of the list; null for an unknown device. */
export function rowView(model, id, now) {
    const row = model.fleet.devices.row(id);
    if (row === undefined) return null;
    const power = powerView(model, row);
    return {
        id,
        name: texts.label(row),
        line: line(row, now, power),
        tone: toneOfRow(row),
        mode: row.mode,
        temperature: texts.roomTemperature(row.temperature, row.unit),
        version: row.version,
        power,
    };
}

function line(row, now, power) {
    if (power.isPending) return stateText(power);
    const site = row.site === "" ? "" : ` · ${row.site}`;
    if (row.presence !== "online") return `${texts.presence(row)}${since(row, now)}${site}`;
    return `${doing(row)}${site}`;
}

function summary(fleet, ids) {
    if (!fleet.hasList) return "";
    const { devices } = fleet;
    const all = texts.count(devices.size, "device");
    if (!devices.filter.isEmpty) {
        const by = devices.filter.isByName ? " · by name only, without a connection" : "";
        return `${texts.grouped(ids.length)} of ${all}${by}`;
    }
    const online = devices.countOf((row) => row.presence === "online");
    const on = devices.countOf((row) => row.on);
    return `${all} · ${texts.grouped(online)} online · ${texts.grouped(on)} on`;
}

function filterProblem({ problem }, ids) {
    return problem === "" || ids.length > 0 ? "" : `This isn’t a condition: ${problem}.`;
}

function nothing(fleet, ids) {
    if (ids.length > 0) return "";
    if (!fleet.hasList) return "Loading…";
    return fleet.devices.size === 0 ? "This account has no devices yet." : "No devices match.";
}
