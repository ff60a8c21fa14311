// The view of one device, as texts and flags. Pure: a function of the model and the time.

import { connectionView } from "../common/connectionview.js";
import * as texts from "../common/texts.js";
import { toneOf } from "../fleet/commands.js";
import { doing, powerView, since, stateText, toneOfRow } from "../fleet/fleetview.js";
import { ABOUT_DEVICE } from "../logbook/address.js";

export function deviceView(model, now) {
    const { fleet } = model;
    const id = model.route.id;
    const row = fleet.devices.row(id);
    const common = { id, connection: connectionView(model, now), past: fleet.past };
    if (row === undefined) {
        const text = fleet.hasList ? "This account has no such device." : "Loading…";
        return { ...common, isKnown: false, text };
    }
    const command = fleet.commands.of(id);
    const power = powerView(model, row);
    return {
        ...common,
        isKnown: true,
        unit: row.unit,
        name: texts.label(row),
        tone: toneOfRow(row),
        mode: row.mode,
        power,
        state: power.isPending ? stateText(power) : row.on ? `On · ${texts.setting(row)}` : doing(row),
        temperature: texts.roomTemperature(row.temperature, row.unit),
        facts: facts(row, now),
        cancel: command === undefined ? null : cancelView(command, model, now),
        entries: entries(fleet.past),
        writeHref: model.connection.maySwitch ? ABOUT_DEVICE.hashOf({ device: id }) : null,
    };
}

function facts(row, now) {
    const isOnline = row.presence === "online";
    return [
        ["Connection", isOnline ? "Online" : `${texts.presence(row)}${since(row, now)}`],
        ["Setting", texts.onlyMeasures(row) ? "" : texts.setting(row)],
        ["Fan", texts.onlyMeasures(row) ? "" : texts.capitalised(row.fanLevel)],
        ["Humidity", row.humidity === null ? "" : `${Math.round(row.humidity)} %`],
        ["Last reading", row.temperature === null ? "" : texts.ago(now - row.asOf)],
        ["Site", row.site],
        ["Model", row.model],
        ["Changes made", row.version > 0 ? texts.grouped(row.version - 1) : ""],
        ["ID", row.id],
    ].filter(([, text]) => text !== "");
}

function cancelView(command, model, now) {
    const seconds = Math.floor((now - command.askedAt) / 1_000);
    const waits = seconds >= 1 ? ` ${seconds} s` : "";
    const text = {
        no: command.losses > 0 ? "No answer yet. Asking again…" : `Waiting for the device…${waits}`,
        asked: "Cancelling…",
        pending: "Cancelling when the device answers…",
    }[command.cancel];
    return { text, isPossible: model.fleet.canCancel(command.device) };
}

/** The events of a device, newest first: outcomes of requests, and other changes. */
function entries(past) {
    const outcomes = past.outcomes.map((one) => ({
        key: one.requestId, at: one.at, tone: toneOf(one.kind), kind: one.kind,
        text: one.actor === "" || one.message.includes(one.actor)
            ? one.message : `${one.message} · ${one.actor}`,
    }));
    const changes = past.changes.filter((one) => one.cause !== "" && one.cause !== "request").map((one) => ({
        key: `${one.at} ${one.cause}`, at: one.at, tone: "plain", kind: "changed",
        text: `${one.on ? "on" : "off"} ${texts.cause(one.cause)}`.trim(),
    }));
    return [...outcomes, ...changes].sort((one, other) => other.at - one.at).slice(0, 100);
}
