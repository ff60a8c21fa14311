// Decodes and validates the gateway's JSON of sequences. Pure.

import { isID, isObject, list, number, text } from "../app/wire.js";

/** The maximum numbers of commands in a sequence, and of sequences in a list. */
const COMMANDS_AT_MOST = 100;
const SUMMARIES_AT_MOST = 100;
const STATES = ["running", "paused", "stopping", "cancelling", "done", "failed", "stopped", "cancelled"];

/**
 * @typedef {object} Sequence Commands that are executed one after another.
 * @property {string} id
 * @property {"running" | "paused" | "stopping" | "cancelling" | "done" | "failed" | "stopped"
 *     | "cancelled"} state
 * @property {boolean} isFinal Whether it has ended.
 * @property {{id: string, device: string, takesMs: number, state: string, isFailure: boolean,
 *     explanation: string}[]} list Its commands in order; IDs and explanations are untrusted.
 */

/** A sequence with its commands; null for invalid data. @returns {Sequence | null} */
export function sequenceFrom(value) {
    const summary = summaryFrom(value);
    if (summary === null || !Array.isArray(value.list)) return null;
    return { ...summary, list: list(value.list, COMMANDS_AT_MOST).filter(isObject).map(commandFrom) };
}

/** Sequences without their commands. @returns {{id: string, state: string, isFinal: boolean}[]} */
export function summariesFrom(value) {
    return list(value, SUMMARIES_AT_MOST).map(summaryFrom).filter((one) => one !== null);
}

/** The stored sequence and pending start; null for invalid data. */
export function keptSequencesFrom(value) {
    if (!isObject(value) || !Number.isFinite(value.at)) return null;
    const { starting } = value;
    const isStarting = isObject(starting) && isSequenceID(starting.requestId) && isID(starting.device);
    return {
        at: value.at,
        shown: sequenceFrom(value.shown),
        starting: isStarting ? {
            requestId: starting.requestId, device: starting.device, askedAt: number(starting.askedAt),
        } : null,
    };
}

function summaryFrom(value) {
    if (!isObject(value) || !isSequenceID(value.id) || !STATES.includes(value.state)) return null;
    return { id: value.id, state: value.state, isFinal: value.isFinal === true };
}

function commandFrom(value) {
    return {
        id: text(value.id, 32), device: isID(value.device) ? value.device : "",
        takesMs: Math.max(0, number(value.takesMs)), state: text(value.state, 32),
        isFailure: value.isFailure === true, explanation: text(value.explanation),
    };
}

function isSequenceID(value) {
    return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}
