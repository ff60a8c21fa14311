// Decodes and validates the gateway's JSON of queues. Pure.

import { isID, isObject, listOf, number, text } from "../common/wire.js";

/** The maximum numbers of commands in a queue, and of queues in a list. */
const COMMANDS_AT_MOST = 100;
const SUMMARIES_AT_MOST = 100;
const STATES = ["running", "paused", "stopping", "cancelling", "done", "failed", "stopped", "cancelled"];

/**
 * @typedef {object} Queue Commands that are executed one after another.
 * @property {string} id
 * @property {"running" | "paused" | "stopping" | "cancelling" | "done" | "failed" | "stopped"
 *     | "cancelled"} state
 * @property {boolean} isFinal Whether it has ended.
 * @property {{id: string, device: string, takesMs: number, state: string, isFailure: boolean,
 *     explanation: string}[]} list Its commands in order; IDs and explanations are untrusted.
 */

/** A queue with its commands; null for invalid data. @returns {Queue | null} */
export function queueFrom(value) {
    const summary = summaryFrom(value);
    if (summary === null || !Array.isArray(value.list)) return null;
    return { ...summary, list: listOf(value.list, COMMANDS_AT_MOST, commandFrom) };
}

/** Queues without their commands. @returns {{id: string, state: string, isFinal: boolean}[]} */
export function queueListFrom(value) { return listOf(value?.queues, SUMMARIES_AT_MOST, summaryFrom); }

/** The stored queue and pending start; null for invalid data. */
export function storedQueuesFrom(value) {
    if (!isObject(value) || !Number.isFinite(value.at)) return null;
    const { starting } = value;
    const isStarting = isObject(starting) && isQueueID(starting.requestId) && isID(starting.device);
    return {
        at: value.at,
        shown: queueFrom(value.shown),
        starting: isStarting ? {
            requestId: starting.requestId, device: starting.device, askedAt: number(starting.askedAt),
        } : null,
    };
}

function summaryFrom(value) {
    if (!isObject(value) || !isQueueID(value.id) || !STATES.includes(value.state)) return null;
    return { id: value.id, state: value.state, isFinal: value.isFinal === true };
}

function commandFrom(value) {
    if (!isObject(value)) return null;
    return {
        id: text(value.id, 32), device: isID(value.device) ? value.device : "",
        takesMs: Math.max(0, number(value.takesMs)), state: text(value.state, 32),
        isFailure: value.isFailure === true, explanation: text(value.explanation),
    };
}

function isQueueID(value) {
    return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}
