// What the gateway says, read into values of known shapes. Pure. Nothing is taken over that has not been
// looked at: what has another shape reads as null, and is left out of a list.

import { dashed } from "./requestid.js";

/** Devices that a page takes at most. */
export const DEVICES_AT_MOST = 50_000;
/** Entries of each kind in a device's history. */
export const HISTORY_AT_MOST = 5_000;
/** Posts, and comments on one, that a page takes at most. */
export const POSTS_AT_MOST = 10_000;
export const COMMENTS_AT_MOST = 500;
/** Characters of what somebody wrote in the logbook that are kept. */
export const BODY_AT_MOST = 8_192;
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
 * @property {string} incarnation The life of its memory, in which versions count; may be empty.
 * @property {number} version How often its state has changed.
 * @property {"online" | "stale" | "offline" | "unknown"} presence
 * @property {string} presenceReason Why it is offline; empty when it is not.
 * @property {number} since When it became so, in milliseconds since 1970.
 * @property {number | null} temperature Of the room, in Celsius.
 * @property {number | null} humidity Of the room, in percent.
 * @property {number} asOf When that was measured, in milliseconds since 1970.
 */

/** @typedef {Pick<Device, "on" | "mode" | "targetTemperature" | "unit" | "fanLevel" | "incarnation"
 *     | "version">} DeviceState */

/**
 * @typedef {object} Post
 * @property {number} id Its number within the account.
 * @property {string} title Text of strangers.
 * @property {string} body The same; lines.
 * @property {string} author An address, or `controller`.
 * @property {number} writtenAtMs In milliseconds since 1970.
 * @property {string | null} device What it is about.
 * @property {string} deviceName What that was called then.
 * @property {string} site What it is about instead; empty where that is no site.
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
 * @returns {Device | null} Null for what has no id.
 */
export function deviceFrom(value) {
    if (!isObject(value) || !isID(value.id)) return null;
    return {
        id: value.id,
        name: text(value.name),
        site: text(value.site),
        model: text(value.model),
        ...stateOf(value),
        presence: ["online", "stale", "offline"].includes(value.presence) ? value.presence : "unknown",
        presenceReason: text(value.presenceReason),
        since: number(value.since),
        temperature: number(value.temperature, null),
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

/**
 * A post of the logbook.
 *
 * @returns {Post | null} Null for what has no number.
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

/** The posts of a list; those that are none are left out. */
export function postsFrom(value) {
    return list(value, POSTS_AT_MOST).map(postFrom).filter((post) => post !== null);
}

/** A comment on a post; null for what has no numbers. */
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

/** The comments of a list; those that are none are left out. */
export function commentsFrom(value) {
    return list(value, COMMENTS_AT_MOST).map(commentFrom).filter((comment) => comment !== null);
}

/** A logbook as it was kept; null for what is none. */
export function logbookFrom(value) {
    if (!isObject(value) || !Number.isFinite(value.at)) return null;
    const entries = (kept) =>
        list(kept, POSTS_AT_MOST).filter((one) => Array.isArray(one) && isNumber(one[0], 0));
    return {
        at: value.at,
        total: Math.max(0, number(value.total)),
        posts: postsFrom(value.posts),
        comments: entries(value.comments).map(([post, all]) => [post, commentsFrom(all)]),
    };
}

/** What is being written, as the browser keeps it: an object. */
export function draftFrom(value) {
    const requestId = isObject(value.sent) ? idOf(value.sent.requestId) : null;
    return {
        ...draftWords(value),
        sent: requestId === null ? null : { ...draftWords(value.sent), requestId },
        order: Math.max(0, number(value.order)),
    };
}

function draftWords(value) {
    return {
        title: text(value.title), body: text(value.body, BODY_AT_MOST),
        device: isID(value.device) ? value.device : null, site: text(value.site),
    };
}

/** How a request ended, from an answer or from the stream; null where no request is named. */
export function outcomeFrom(value) {
    const requestId = isObject(value) ? idOf(value.requestId) : null;
    if (requestId === null) return null;
    return {
        requestId,
        device: isID(value.device) ? value.device : null,
        kind: text(value.kind),
        words: text(value.words),
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

/** A request's id as it is written; null for what is none. */
function idOf(value) {
    const digits = digitsOf(value);
    return /^[0-9a-f]{32}$/.test(digits) ? dashed(digits) : null;
}

function digitsOf(value) {
    return typeof value === "string" ? value.replaceAll("-", "").toLowerCase() : "";
}
