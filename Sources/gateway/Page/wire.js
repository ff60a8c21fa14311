// What the gateway says, read into values of known shapes. Pure. Nothing is taken over that has not been
// looked at: what has another shape reads as null, and is left out of a list.

import { dashed } from "./requestid.js";

/** Devices that a page takes at most. */
export const DEVICES_AT_MOST = 50_000;
/** Entries of each kind in a device's history. */
export const HISTORY_AT_MOST = 5_000;
/** Characters of a text that are kept. */
const TEXT_AT_MOST = 512;

/**
 * @typedef {object} Device
 * @property {string} id
 * @property {string} name Text of strangers.
 * @property {string} site Where it is; empty where nobody said.
 * @property {string} model
 * @property {boolean} on
 * @property {string} mode `cool`, `heat`, `fan`, `auto` or `dry`.
 * @property {number} targetTemperature In `unit`.
 * @property {"C" | "F"} unit Of its user.
 * @property {string} fanLevel
 * @property {number} version How often its state has changed.
 * @property {"online" | "stale" | "offline" | "unknown"} presence
 * @property {string} presenceReason Why it is offline; empty when it is not.
 * @property {number} since When it became so, in milliseconds since 1970.
 * @property {number | null} temperature Of the room, in Celsius.
 * @property {number | null} humidity Of the room, in percent.
 * @property {number} asOf When that was measured, in milliseconds since 1970.
 */

const text = (value) => typeof value === "string" ? value.slice(0, TEXT_AT_MOST) : "";
const number = (value, otherwise = 0) => Number.isFinite(value) ? value : otherwise;
const list = (value, most) => Array.isArray(value) ? value.slice(0, most) : [];
const isID = (value) => typeof value === "string" && /^[A-Za-z0-9]{1,64}$/.test(value);
const isObject = (value) => typeof value === "object" && value !== null;

/**
 * A device's row.
 *
 * @returns {Device | null} Null for what has no id.
 */
export function deviceFrom(value) {
    if (!isObject(value) || !isID(value.id)) return null;
    return {
        id: value.id,
        name: text(value.name),
        site: text(value.site),
        model: text(value.model),
        on: value.on === true,
        mode: text(value.mode),
        targetTemperature: number(value.targetTemperature),
        unit: value.unit === "F" ? "F" : "C",
        fanLevel: text(value.fanLevel),
        version: number(value.version),
        presence: ["online", "stale", "offline"].includes(value.presence) ? value.presence : "unknown",
        presenceReason: text(value.presenceReason),
        since: number(value.since),
        temperature: number(value.temperature, null),
        humidity: number(value.humidity, null),
        asOf: number(value.asOf),
    };
}

/** The rows of a list; those that are none are left out. */
export function devicesFrom(value) {
    return list(value, DEVICES_AT_MOST).map(deviceFrom).filter((device) => device !== null);
}

/** Ids of devices. */
export function idsFrom(value) {
    return list(value, DEVICES_AT_MOST).filter(isID);
}

/** Who is logged in; null for what is no session. */
export function sessionFrom(value) {
    if (!isObject(value) || typeof value.email !== "string" || typeof value.csrf !== "string") return null;
    const { email, role, account, csrf } = value;
    return { email: text(email), role: text(role), account: text(account), csrf };
}

/** How a request ended, from an answer or from the stream; null where no request is named. */
export function outcomeFrom(value) {
    if (!isObject(value) || !/^[0-9a-f]{32}$/.test(digitsOf(value.requestId))) return null;
    return {
        requestId: dashed(digitsOf(value.requestId)),
        device: isID(value.device) ? value.device : null,
        kind: text(value.kind),
        words: text(value.words),
        actor: text(value.actor),
        at: number(value.at),
        latencyMicroseconds: number(value.latencyMicroseconds, null),
    };
}

/** A device's past, each kind of entry from the oldest to the newest. */
export function historyFrom(value) {
    const entries = (key, read) =>
        list(value?.[key], HISTORY_AT_MOST).filter(isObject).map(read).filter((entry) => entry !== null);
    return {
        measurements: entries("measurements", (one) => ({
            at: number(one.at), temperature: number(one.temperature, null),
            humidity: number(one.humidity, null),
        })),
        changes: entries("changes", (one) => ({
            at: number(one.at), on: one.on === true, mode: text(one.mode),
            targetTemperature: number(one.targetTemperature), cause: text(one.cause),
        })),
        outcomes: entries("outcomes", outcomeFrom),
    };
}

/**
 * A place in the stream, `EPOCH-SEQUENCE`; null for anything else.
 *
 * Both are up to 2^62, more than a number holds exactly.
 */
export function positionFrom(value) {
    const match = typeof value === "string" ? /^(\d{1,20})-(\d{1,20})$/.exec(value) : null;
    return match ? { epoch: BigInt(match[1]), sequence: BigInt(match[2]) } : null;
}

/** Whether a place in the stream is after another; also where one of them is not known. */
export function isAfter(position, other) {
    if (position === null || other === null) return true;
    if (position.epoch !== other.epoch) return position.epoch > other.epoch;
    return position.sequence > other.sequence;
}

function digitsOf(value) {
    return typeof value === "string" ? value.replaceAll("-", "").toLowerCase() : "";
}
