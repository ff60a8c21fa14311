// Decodes and validates the gateway's JSON of devices and requests. Pure.

import { isID, isNumber, isObject, listOf, number, requestIDFrom, text } from "../common/wire.js";

export const DEVICES_AT_MOST = 50_000;
/** The maximum number of entries of each kind in a device's history. */
export const HISTORY_AT_MOST = 5_000;

/**
 * @typedef {object} Device
 * @property {string} id
 * @property {string} name Untrusted text.
 * @property {string} site The name of its site; empty if unknown.
 * @property {string} model
 * @property {string} node The name of its node; empty if unknown.
 * @property {boolean} on
 * @property {string} mode `cool`, `heat`, `fan`, `auto` or `dry`.
 * @property {number} targetTemperature In `unit`.
 * @property {"C" | "F"} unit The temperature unit of its user.
 * @property {string} fanLevel
 * @property {string} incarnation The incarnation of its memory, to which the version belongs; may be empty.
 * @property {number} version The number of changes of its state.
 * @property {"online" | "stale" | "offline" | "unknown"} presence
 * @property {string} presenceReason Why it is offline; otherwise empty.
 * @property {number} since The start of this presence, in milliseconds since 1970.
 * @property {number | null} temperature The room temperature in °C.
 * @property {number | null} feelsLike The perceived temperature in °C.
 * @property {number | null} humidity The relative humidity in percent.
 * @property {number} asOf The time of the reading, in milliseconds since 1970.
 */

/** @typedef {Pick<Device, "on" | "mode" | "targetTemperature" | "unit" | "fanLevel" | "incarnation"
 *     | "version">} DeviceState */

const isIncarnation = (value) => typeof value === "string" && /^[0-9a-f]{16}$/.test(value);

/**
 * A device's row.
 *
 * @returns {Device | null} Null without a valid ID.
 */
export function deviceFrom(value) {
    if (!isObject(value) || !isID(value.id)) return null;
    return {
        id: value.id,
        name: text(value.name),
        site: text(value.site),
        model: text(value.model),
        node: text(value.node),
        ...stateOf(value),
        presence: ["online", "stale", "offline"].includes(value.presence) ? value.presence : "unknown",
        presenceReason: text(value.presenceReason),
        since: number(value.since),
        temperature: number(value.temperature, null),
        feelsLike: number(value.feelsLike, null),
        humidity: number(value.humidity, null),
        asOf: number(value.asOf),
    };
}

function stateOf(value) {
    return {
        on: value.on === true,
        mode: text(value.mode),
        targetTemperature: number(value.targetTemperature),
        unit: value.unit === "F" ? "F" : "C",
        fanLevel: text(value.fanLevel),
        incarnation: isIncarnation(value.incarnation) ? value.incarnation : "",
        version: number(value.version),
    };
}

/**
 * The device state in a reply.
 *
 * @returns {DeviceState | null} Null without a version.
 */
function stateFrom(value) {
    const isState = isObject(value) && isIncarnation(value.incarnation) && isNumber(value.version, 0);
    return isState ? stateOf(value) : null;
}

/** The rows of a list, without invalid ones. */
export function devicesFrom(value) { return listOf(value, DEVICES_AT_MOST, deviceFrom); }

/** The list of devices, with its position in the stream. */
export function deviceListFrom(value) {
    return {
        position: positionFrom(value?.position), isSettling: value?.settling === true,
        devices: devicesFrom(value?.devices),
    };
}

export function idsFrom(value) { return listOf(value, DEVICES_AT_MOST, (id) => isID(id) ? id : null); }

/** The devices that a text in the search field shows, and the error in it; null for invalid data. */
export function filteredFrom(value) {
    if (!Array.isArray(value?.devices)) return null;
    return { shown: idsFrom(value.devices), problem: text(value.problem) };
}

/** The outcome of a request, from an answer or the stream; null without a request ID. */
export function outcomeFrom(value) {
    const requestId = requestIDFrom(value?.requestId);
    if (requestId === null) return null;
    return {
        requestId,
        device: isID(value.device) ? value.device : null,
        kind: text(value.kind),
        message: text(value.words),
        actor: text(value.actor),
        at: number(value.at),
        latencyMicroseconds: number(value.latencyMicroseconds, null),
        state: stateFrom(value.state),
    };
}

/** The answer to a cancel; if the cancel came too late, `outcome` is the outcome of the request. */
export function cancelFrom(value) {
    return { kind: text(value?.kind), message: text(value?.words), outcome: outcomeFrom(value?.end) };
}

/** A pending toggle as the browser stores it; null for anything else. */
export function commandFrom(value) {
    const requestId = requestIDFrom(value?.requestId);
    if (requestId === null || !isID(value.device) || !isNumber(value.version, 0)) return null;
    if (!isIncarnation(value.incarnation) || !Number.isFinite(value.askedAt)) return null;
    const { device, incarnation, version, askedAt } = value;
    const [expected, isCancelled] = [value.expected === true, value.isCancelled === true];
    return { device, requestId, incarnation, version, expected, askedAt, isCancelled };
}

/** A device's history, each kind of entry oldest first. */
export function historyFrom(value) {
    const entries = (key, read) =>
        listOf(value?.[key], HISTORY_AT_MOST, (one) => isObject(one) ? read(one) : null);
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
 * A position in the stream, `EPOCH-SEQUENCE`; null for anything else.
 *
 * Both are up to 2^62, which exceeds the exact range of a number.
 */
export function positionFrom(value) {
    const match = typeof value === "string" ? /^(\d{1,20})-(\d{1,20})$/.exec(value) : null;
    return match ? { epoch: BigInt(match[1]), sequence: BigInt(match[2]) } : null;
}

/** Whether a position in the stream is after another; also true if one of them is unknown. */
export function isAfter(position, other) {
    if (position === null || other === null) return true;
    if (position.epoch !== other.epoch) return position.epoch > other.epoch;
    return position.sequence > other.sequence;
}
