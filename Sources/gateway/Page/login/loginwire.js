// Decodes and validates the gateway's JSON of sessions. Pure.

import { isObject, text } from "../common/wire.js";

/** Whether sign-up and password reset are enabled. */
export function featuresFrom(value) {
    return { signUp: value?.signUp === true, recovery: value?.recovery === true };
}

/** A session; null for invalid data. */
export function sessionFrom(value) {
    if (!isObject(value) || typeof value.email !== "string" || typeof value.csrf !== "string") return null;
    const { email, role, account, csrf } = value;
    return { email: text(email), role: text(role), account: text(account), csrf };
}
