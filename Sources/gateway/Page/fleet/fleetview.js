// What each view of a device shows, as texts and flags. Pure: functions of the model and the time.

import { troubleText } from "../common/connectionview.js";
import * as texts from "../common/texts.js";

export function powerView(model, row) {
    const { fleet, connection } = model;
    const command = fleet.commands.of(row.id);
    const isPending = command !== undefined;
    return {
        isOn: isPending ? command.expected : row.on,
        isPending,
        isCancelling: isPending && command.cancel !== "no",
        canPress: isPending ? fleet.canCancel(row.id) : fleet.canToggle(row),
        why: isPending ? pressText(command) : whyNot(connection, row),
    };
}

function pressText({ cancel }) {
    return cancel === "no" ? "Switching… Press again to cancel." : "Cancelling…";
}

function whyNot(connection, row) {
    if (texts.onlyMeasures(row)) return "Sensor only";
    if (connection.trouble !== null) return `Can’t switch: ${troubleText(connection)}`;
    if (!connection.maySwitch) return "View-only access";
    if (connection.isOffDuty) return texts.OFF_DUTY;
    return row.presence === "online" ? "" : `Can’t switch: ${texts.presence(row).toLowerCase()}`;
}

/** @returns {"offline" | "on" | "off"} */
export function toneOfRow(row) {
    if (row.presence !== "online") return "offline";
    return row.on ? "on" : "off";
}

export function stateText({ isPending, isCancelling, isOn }) {
    if (isCancelling) return "Cancelling…";
    if (isPending) return isOn ? "Turning on…" : "Turning off…";
    return isOn ? "On" : "Off";
}

/** What a device does, apart from its presence. */
export function doing(row) {
    if (texts.onlyMeasures(row)) return "Sensor";
    return row.on ? texts.setting(row) : "Off";
}

/** The duration of a presence, after a dot; empty if unknown. */
export function since(row, now) {
    return row.since > 0 ? ` · ${texts.span(now - row.since)}` : "";
}
