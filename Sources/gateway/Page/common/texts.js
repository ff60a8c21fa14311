// The texts for numbers and states. Pure: the time is a parameter.

const MODES = { cool: "Cool", heat: "Heat", fan: "Fan", auto: "Auto", dry: "Dry" };

const OFFLINE = {
    disconnected: "Offline (no connection)",
    nodeLeft: "Offline (node stopped)",
    nodeLost: "Offline (node lost)",
};

const CAUSES = {
    request: "by request",
    correction: "by correction",
    handRemote: "by hand remote",
    app: "by app",
    climateReact: "by Climate React",
    timer: "by timer",
    schedule: "by schedule",
};

/** Why a member cannot switch devices now. */
export const OFF_DUTY = "You’re not on duty. Only people on duty and owners can switch devices.";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * An age in one unit: `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `4 d ago`.
 *
 * @param {number} milliseconds Negative values, from clocks that differ, count as zero.
 */
export function ago(milliseconds) {
    if (milliseconds < 5 * SECOND) return "just now";
    return `${span(milliseconds)} ago`;
}

/** A duration in one unit: `12 s`, `3 min`, `2 h`, `4 d`. */
export function span(milliseconds) {
    const time = Math.max(0, milliseconds);
    if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
    if (time < HOUR) return `${Math.floor(time / MINUTE)} min`;
    if (time < DAY) return `${Math.floor(time / HOUR)} h`;
    return `${Math.floor(time / DAY)} d`;
}

/** Converts degrees Celsius to the unit of a device's user. */
export function inUnit(celsius, unit) {
    return unit === "F" ? celsius * 9 / 5 + 32 : celsius;
}

/** A room's temperature, `21.5°`; a dash without a reading. */
export function roomTemperature(celsius, unit) {
    return celsius === null ? "–" : `${inUnit(celsius, unit).toFixed(1)}°`;
}

/** The setting of an air conditioner: `Cool 22 °C`; a fan has no temperature. */
export function setting(device) {
    const mode = MODES[device.mode] ?? device.mode;
    return device.mode === "fan" ? mode : `${mode} ${device.targetTemperature} °${device.unit}`;
}

/** Whether a device has no switch: a Sensibo Elements is a sensor. */
export function onlyMeasures(device) {
    return device.model === "elements";
}

/** A device's presence, with the reason if it is offline. */
export function presence(device) {
    switch (device.presence) {
    case "online": return "Online";
    case "stale": return "Not responding";
    case "offline": return OFFLINE[device.presenceReason] ?? "Offline";
    default: return "Not seen yet";
    }
}

/** The cause of a change: `by hand remote`; empty if unknown. */
export function cause(name) {
    return CAUSES[name] ?? "";
}

/** A sentence of the gateway for use after a colon: `the disk is full.` */
export function clause(sentence) {
    const begins = /^\p{Lu}\p{Ll}/u.test(sentence) ? sentence.charAt(0).toLowerCase() : sentence.charAt(0);
    return `${begins}${sentence.slice(1)}${/[.!?…]$/.test(sentence) ? "" : "."}`;
}

/** Capitalises a word of the API: `Auto`, `Medium high`. */
export function capitalised(text) {
    return text.charAt(0).toUpperCase() + text.slice(1).replaceAll("_", " ");
}

/** A whole number with its noun: `1 device`, `12,345 devices`. */
export function count(number, noun) {
    return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A whole number in groups of three digits: `12,345`. */
export function grouped(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** An untrusted text; another text if no character of it is visible. */
export function visible(text, otherwise) {
    return text.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu, "") === "" ? otherwise : text;
}

/**
 * A device's label: its unmodified name, or its ID if no character of the name is visible.
 *
 * Names are untrusted text. They are only drawn as text, each in its own `bdi`, so that a change of the
 * direction of writing does not affect other text.
 */
export function label(device) {
    return visible(device.name, device.id);
}
