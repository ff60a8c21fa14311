// The view of command queues, as texts and flags. Pure: a function of the model and the time.

import * as words from "../common/texts.js";

const TONES = { done: "good", failed: "bad", stopped: "plain", cancelled: "plain" };
/** The words for a state, after the number of commands that are done. */
const STATES = {
    paused: ", paused", stopping: ", stopping…", cancelling: ", cancelling…", stopped: ", stopped",
    cancelled: ", cancelled",
};
/** The most devices in the list of choices; a search finds the others. */
export const CHOICES_AT_MOST = 100;

/**
 * The commands on the first screen: the devices to choose from, the button that sends the commands, and the
 * state of the last ones. A text with a device's name has three parts: the text before the name, the name,
 * and the text after it.
 */
export function queueView(model, now) {
    const { connection, fleet, services: { queues } } = model;
    const isStarting = queues.asked?.effect.do === "startQueue";
    const choices = connection.maySwitch ? choicesOf(fleet) : [];
    const chosen = queues.chosen === null ? undefined : fleet.devices.row(queues.chosen);
    const target = connection.maySwitch && canBeTarget(chosen) ? chosen : null;
    return {
        isHidden: !fleet.hasList || !connection.maySwitch && queues.shown === null,
        choices: choices.slice(0, CHOICES_AT_MOST),
        hasMore: choices.length > CHOICES_AT_MOST,
        chosen: chosen === undefined ? null : { id: chosen.id, name: words.label(chosen) },
        canChoose: queues.canSend && !queues.isUnderWay,
        target: target?.id ?? null,
        hint: hint(queues, connection, choices, chosen, target),
        canSend: queues.canSend && !queues.isUnderWay && target !== null,
        isSending: isStarting,
        button: isStarting ? sending(queues.asked) : "Send commands",
        error: queues.words,
        shown: queues.shown === null ? null : shownView(model, now),
    };
}

function sending({ isGivenUp, losses }) {
    if (isGivenUp) return "Checking…";
    return losses > 0 ? "Sending again…" : "Sending…";
}

function canBeTarget(row) { return row?.presence === "online" && !words.onlyMeasures(row); }

/** Online devices that the search shows and that can be switched, at most one more than the list may have. */
function choicesOf({ devices }) {
    const choices = [];
    for (const id of devices.shown) {
        const row = devices.row(id);
        if (canBeTarget(row)) choices.push({ id, name: words.label(row) });
        if (choices.length > CHOICES_AT_MOST) break;
    }
    return choices;
}

function hint(queues, connection, choices, chosen, target) {
    if (queues.isUnderWay) return [];
    if (connection.isOffDuty) return [words.OFF_DUTY];
    if (target !== null) return ["Runs ten test commands on ", words.label(target), " (about 55 s)."];
    if (chosen !== undefined) return ["", words.label(chosen), " isn’t online."];
    if (choices.length === 0) return ["No device online."];
    return ["Choose a device for ten test commands (about 55 s)."];
}

function shownView({ connection, fleet, services: { queues } }, now) {
    const { shown } = queues;
    const ended = shown.list.filter(hasEnded);
    const running = shown.list.find((command) => command.state === "running");
    const device = shown.list[0]?.device ?? "";
    const name = words.label(fleet.devices.row(device) ?? { id: device, name: "" });
    const age = connection.isLive || shown.isFinal ? "" : ` (${words.ago(now - queues.asOf)})`;
    const canSteer = queues.canSend && !shown.isFinal;
    const isPaused = shown.state === "paused";
    const isEnding = shown.state === "stopping" || shown.state === "cancelling";
    return {
        tone: TONES[shown.state] ?? "busy",
        title: ["", name, `: ${progress(shown)}${age}`],
        running: running === undefined ? "" : runningWords(running),
        items: ended.map((command, index) => ({
            key: `${shown.id} ${index}`, id: words.visible(command.id, `${index + 1}`),
            tone: command.state === "cancelled" ? "plain" : command.isFailure ? "bad" : "good",
            words: isDone(command) ? "" : failure(command),
        })),
        isUnderWay: !shown.isFinal,
        pause: {
            kind: isPaused ? "resume" : "pause", words: isPaused ? "Resume" : "Pause",
            can: canSteer && !isEnding,
        },
        stop: { kind: "stop", words: "Stop", can: canSteer && !isEnding },
        cancel: { kind: "cancel", words: "Cancel", can: canSteer && shown.state !== "cancelling" },
    };
}

/** How many commands are done; a cancelled or failed command is not done. */
function progress({ list, state }) {
    const [done, all] = [list.filter(isDone).length, list.length];
    const failed = list.filter((command) => command.isFailure && command.state !== "cancelled").length;
    const failures = failed === 0 ? "" : `, ${failed} failed`;
    return `${done === all ? `all ${all}` : `${done} of ${all}`} done${failures}${STATES[state] ?? ""}`;
}

function isDone(command) {
    return hasEnded(command) && !command.isFailure && command.state !== "cancelled";
}

function hasEnded({ state }) { return !["waiting", "running", "leftOut"].includes(state); }

function runningWords({ id, takesMs }) {
    const takes = takesMs < 1_000 ? `${takesMs} ms` : words.span(takesMs);
    return `Running command ${words.visible(id, "without an ID")} (${takes})`;
}

function failure({ state, explanation }) { return explanation === "" ? state : `${state}: ${explanation}`; }
