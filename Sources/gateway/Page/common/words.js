// What numbers and states are called. Pure: the time is handed in.

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
 * How long ago, in one unit: `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `4 d ago`.
 *
 * @param {number} milliseconds Less than zero, where two clocks differ, counts as zero.
 */
export function ago(milliseconds) {
    if (milliseconds < 5 * SECOND) return "just now";
    return `${span(milliseconds)} ago`;
}

/** How long, in one unit: `12 s`, `3 min`, `2 h`, `4 d`. */
export function span(milliseconds) {
    const time = Math.max(0, milliseconds);
    if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
    if (time < HOUR) return `${Math.floor(time / MINUTE)} min`;
    if (time < DAY) return `${Math.floor(time / HOUR)} h`;
    return `${Math.floor(time / DAY)} d`;
}

/** What was measured in Celsius, in the unit of a device's user. */
export function inUnit(celsius, unit) {
    return unit === "F" ? celsius * 9 / 5 + 32 : celsius;
}

/** A room's temperature, `21.5°`; a dash where nothing was measured. */
export function roomTemperature(celsius, unit) {
    return celsius === null ? "–" : `${inUnit(celsius, unit).toFixed(1)}°`;
}

/** What an air conditioner is set to: `Cool 22 °C`; a fan has no temperature. */
export function setting(device) {
    const mode = MODES[device.mode] ?? device.mode;
    return device.mode === "fan" ? mode : `${mode} ${device.targetTemperature} °${device.unit}`;
}

/** Whether there is nothing to switch: a Sensibo Elements is a sensor. */
export function onlyMeasures(device) {
    return device.model === "elements";
}

/** Whether a device is there, and if it is not, why. */
export function presence(device) {
    switch (device.presence) {
    case "online": return "Online";
    case "stale": return "Not responding";
    case "offline": return OFFLINE[device.presenceReason] ?? "Offline";
    default: return "Not seen yet";
    }
}

/** What made a device change: `by hand remote`; empty where nothing is known. */
export function cause(name) {
    return CAUSES[name] ?? "";
}

/** A sentence of the gateway in the form that follows a colon: `the disk is full.` */
export function clause(sentence) {
    const begins = /^\p{Lu}\p{Ll}/u.test(sentence) ? sentence.charAt(0).toLowerCase() : sentence.charAt(0);
    return `${begins}${sentence.slice(1)}${/[.!?…]$/.test(sentence) ? "" : "."}`;
}

/** A word as it begins a line: `Auto`. */
export function capitalised(word) {
    return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A whole number with its noun: `1 device`, `12,345 devices`. */
export function count(number, noun) {
    return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A whole number in groups of three digits: `12,345`. */
export function grouped(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A text of strangers; where nothing can be seen of it, another. */
export function visible(text, otherwise) {
    return text.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu, "") === "" ? otherwise : text;
}

/**
 * What a device is called: its name as it came, or its id where nothing can be seen of the name.
 *
 * Names are text of strangers. They are only ever drawn as text, each in a `bdi` of its own, so that what
 * turns the direction of writing turns no more than the name.
 */
export function label(device) {
    return visible(device.name, device.id);
}
