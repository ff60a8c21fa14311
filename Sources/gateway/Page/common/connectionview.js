// The view of the connection. Pure: a function of the model and the time.

import { ago } from "./texts.js";

/** The texts for each reason: in the bar, as a sentence, and on a switch. */
const TROUBLES = {
    offline: { tone: "bad", text: "Offline", detail: "You’re offline.", why: "you’re offline" },
    gateway: {
        tone: "bad", text: "Offline", detail: "The gateway isn’t responding.",
        why: "the gateway isn’t responding",
    },
    controller: {
        tone: "bad", text: "No controller", detail: "The controller isn’t responding.",
        why: "the controller isn’t responding",
    },
    connecting: { tone: "busy", text: "Connecting…", detail: "", why: "connecting" },
};

/** Why the page is not live, for use after a colon. */
export function troubleText({ trouble }) { return TROUBLES[trouble].why; }

/**
 * The state of the connection.
 *
 * @returns {{tone: "good" | "busy" | "bad", text: string, detail: string, bulletin}} A word, a sentence with
 *     details, and the bulletin.
 */
export function connectionView(model, now) {
    return { ...liveness(model, now), bulletin: model.fleet.bulletin.view(now) };
}

/**
 * The same on a screen whose data was known at a time; null for unknown data, undefined if the screen says so
 * itself.
 */
export function datedConnectionView(model, at, now) {
    return { ...connectionView(model, now), detail: dated(model.connection, at, now) };
}

function dated({ isLive, hasController }, at, now) {
    if (isLive) return hasController ? "" : TROUBLES.controller.detail;
    if (at === undefined) return "";
    return `No connection.${at === null ? "" : ` Last updated ${ago(now - at)}.`}`;
}

function liveness({ connection, fleet }, now) {
    const { trouble } = connection;
    if (trouble === null) return { tone: "good", text: "Live", detail: "" };
    const { tone, text, detail } = TROUBLES[trouble];
    if (connection.isLive || !fleet.hasList) return { tone, text, detail };
    const age = ago(now - fleet.asOf);
    const known = trouble === "connecting" ? `Updated ${age}.` : `Showing the last known state (${age}).`;
    return { tone, text, detail: `${detail} ${known}`.trim() };
}
