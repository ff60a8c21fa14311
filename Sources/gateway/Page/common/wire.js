// Decodes and validates JSON. Pure. Only known members are copied. Invalid values become null, and are left
// out of lists.

import { dashed } from "./requestid.js";

/** The maximum length of long texts, such as that of a post, characters; the rest is cut off. */
export const BODY_AT_MOST = 8_192;
/** The maximum length of other texts, characters; the rest is cut off. */
const TEXT_AT_MOST = 512;

export const text = (value, most = TEXT_AT_MOST) => typeof value === "string" ? value.slice(0, most) : "";
export const isNumber = (value, least = 1) => Number.isSafeInteger(value) && value >= least;
export const number = (value, otherwise = 0) => Number.isFinite(value) ? value : otherwise;
export const isID = (value) => typeof value === "string" && /^[A-Za-z0-9]{1,64}$/.test(value);
export const isObject = (value) => typeof value === "object" && value !== null;

/** The value of a JSON text; null for invalid text. */
export function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}

/** The first entries of a list, decoded, without invalid ones. */
export function listOf(value, most, read) {
    return Array.isArray(value) ? value.slice(0, most).map(read).filter((one) => one !== null) : [];
}

/** A request ID in its usual form; null for invalid data. */
export function requestIDFrom(value) {
    const digits = typeof value === "string" ? value.replaceAll("-", "").toLowerCase() : "";
    return /^[0-9a-f]{32}$/.test(digits) ? dashed(digits) : null;
}
