// Decodes and validates the gateway's JSON. Pure. Only known members are copied. Invalid values become null,
// and are left out of lists.

import { dashed } from "./requestid.js";

/** The maximum number of devices. */
export const DEVICES_AT_MOST = 50_000;
/** The maximum number of entries of each kind in a device's history. */
export const HISTORY_AT_MOST = 5_000;
/** The maximum numbers of posts, and of comments on a post. */
export const POSTS_AT_MOST = 10_000;
export const COMMENTS_AT_MOST = 500;
/** The maximum length of a post or comment, characters; the rest is cut off. */
export const BODY_AT_MOST = 8_192;
/** The maximum length of other texts, characters; the rest is cut off. */
const TEXT_AT_MOST = 512;

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

/**
 * @typedef {object} Post
 * @property {number} id Its number within the account.
 * @property {string} title Untrusted text.
 * @property {string} body Untrusted text, with line breaks.
 * @property {string} author An address, or `controller`.
 * @property {number} writtenAtMs In milliseconds since 1970.
 * @property {string | null} device The device that it is about; null for none.
 * @property {string} deviceName The device's name at that time.
 * @property {string} site The site that it is about; empty for none.
 * @property {number} commentCount
 */

export const text = (value, most = TEXT_AT_MOST) => typeof value === "string" ? value.slice(0, most) : "";
export const isNumber = (value, least = 1) => Number.isSafeInteger(value) && value >= least;
export const number = (value, otherwise = 0) => Number.isFinite(value) ? value : otherwise;
export const list = (value, most) => Array.isArray(value) ? value.slice(0, most) : [];
export const isID = (value) => typeof value === "string" && /^[A-Za-z0-9]{1,64}$/.test(value);
const isIncarnation = (value) => typeof value === "string" && /^[0-9a-f]{16}$/.test(value);
export const isObject = (value) => typeof value === "object" && value !== null;

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
export function devicesFrom(value) {
    return list(value, DEVICES_AT_MOST).map(deviceFrom).filter((device) => device !== null);
}

/** The IDs of devices. */
export function idsFrom(value) {
    return list(value, DEVICES_AT_MOST).filter(isID);
}

/** A session; null for invalid data. */
export function sessionFrom(value) {
    if (!isObject(value) || typeof value.email !== "string" || typeof value.csrf !== "string") return null;
    const { email, role, account, csrf } = value;
    return { email: text(email), role: text(role), account: text(account), csrf };
}

/**
 * A post of the logbook.
 *
 * @returns {Post | null} Null without a valid number.
 */
export function postFrom(value) {
    if (!isObject(value) || !isNumber(value.id)) return null;
    return {
        id: value.id,
        title: text(value.title),
        body: text(value.body, BODY_AT_MOST),
        author: text(value.author),
        writtenAtMs: number(value.writtenAtMs),
        device: isID(value.device) ? value.device : null,
        deviceName: text(value.deviceName),
        site: text(value.site),
        commentCount: Math.max(0, number(value.commentCount)),
    };
}

/** The posts of a list, without invalid ones. */
export function postsFrom(value) {
    return list(value, POSTS_AT_MOST).map(postFrom).filter((post) => post !== null);
}

/** A comment on a post; null without valid numbers. */
export function commentFrom(value) {
    if (!isObject(value) || !isNumber(value.id) || !isNumber(value.postId)) return null;
    return {
        id: value.id,
        postId: value.postId,
        name: text(value.name),
        body: text(value.body, BODY_AT_MOST),
        writtenAtMs: number(value.writtenAtMs),
    };
}

/** The comments of a list, without invalid ones. */
export function commentsFrom(value) {
    return list(value, COMMENTS_AT_MOST).map(commentFrom).filter((comment) => comment !== null);
}

/** A stored logbook; null for invalid data. */
export function logbookFrom(value) {
    if (!isObject(value) || !Number.isFinite(value.at)) return null;
    const entries = (stored) =>
        list(stored, POSTS_AT_MOST).filter((one) => Array.isArray(one) && isNumber(one[0], 0));
    return {
        at: value.at,
        total: Math.max(0, number(value.total)),
        posts: postsFrom(value.posts),
        comments: entries(value.comments).map(([post, all]) => [post, commentsFrom(all)]),
    };
}

/** A stored draft; the value must be an object. */
export function draftFrom(value) {
    const requestId = isObject(value.sent) ? idOf(value.sent.requestId) : null;
    return {
        ...draftTexts(value),
        sent: requestId === null ? null : { ...draftTexts(value.sent), requestId },
        order: Math.max(0, number(value.order)),
    };
}

function draftTexts(value) {
    return {
        title: text(value.title), body: text(value.body, BODY_AT_MOST),
        device: isID(value.device) ? value.device : null, site: text(value.site),
    };
}

/** The outcome of a request, from an answer or the stream; null without a request ID. */
export function outcomeFrom(value) {
    const requestId = isObject(value) ? idOf(value.requestId) : null;
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

/** A pending toggle as the browser stores it; null for anything else. */
export function commandFrom(value) {
    const requestId = isObject(value) ? idOf(value.requestId) : null;
    if (requestId === null || !isID(value.device) || !isNumber(value.version, 0)) return null;
    if (!isIncarnation(value.incarnation) || !Number.isFinite(value.askedAt)) return null;
    const { device, incarnation, version, askedAt } = value;
    const [expected, isCancelled] = [value.expected === true, value.isCancelled === true];
    return { device, requestId, incarnation, version, expected, askedAt, isCancelled };
}

/** A device's history, each kind of entry oldest first. */
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

/** A request ID in its usual form; null for invalid data. */
function idOf(value) {
    const digits = digitsOf(value);
    return /^[0-9a-f]{32}$/.test(digits) ? dashed(digits) : null;
}

function digitsOf(value) {
    return typeof value === "string" ? value.replaceAll("-", "").toLowerCase() : "";
}
