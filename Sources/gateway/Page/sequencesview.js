// What there is to be seen of the commands that are sent one after another, in words and flags. Pure: of the
// model and the time.

import * as words from "./words.js";

const TONES = { done: "good", failed: "bad", stopped: "plain", cancelled: "plain" };
const STATES = {
    running: "Running", paused: "Paused", stopping: "Stopping", cancelling: "Cancelling", done: "Done",
    failed: "Failed", stopped: "Stopped", cancelled: "Cancelled",
};

/**
 * The commands on the first screen: the button that sends them, and how the last ones stand. A text that
 * names a device is in parts: what comes before the name, the name, and what comes after it.
 */
export function sequenceView(model, now) {
    const { sequences, connection, fleet } = model;
    const isStarting = sequences.asked?.effect.do === "startSequence";
    const target = connection.maySwitch ? targetOf(fleet) : null;
    return {
        isHidden: !fleet.hasList || !connection.maySwitch && sequences.shown === null,
        target: target?.id ?? null,
        hint: hint(sequences, target),
        canSend: sequences.canSend && !sequences.isUnderWay && target !== null,
        isSending: isStarting,
        button: isStarting ? sending(sequences.asked) : "Send commands",
        error: sequences.words,
        shown: sequences.shown === null ? null : shownView(model, now),
    };
}

function sending({ isGivenUp, losses }) {
    if (isGivenUp) return "Looking for them…";
    return losses > 0 ? "Sending again…" : "Sending…";
}

/** The first device that is shown, is online and can be switched; null where there is none. */
function targetOf({ devices }) {
    for (const id of devices.shown) {
        const row = devices.row(id);
        if (row?.presence === "online" && !words.onlyMeasures(row)) return row;
    }
    return null;
}

function hint(sequences, target) {
    if (sequences.isUnderWay) return [];
    if (target === null) return ["No device that is shown is online and can be switched."];
    return ["Ten commands, 1 to 10, for ", words.label(target), "; they take 1 to 10 seconds."];
}

function shownView({ sequences, connection, fleet }, now) {
    const { shown } = sequences;
    const ended = shown.list.filter(hasEnded);
    const running = shown.list.find((command) => command.state === "running");
    const device = shown.list[0]?.device ?? "";
    const name = words.label(fleet.devices.row(device) ?? { id: device, name: "" });
    const age = connection.isLive || shown.isFinal ? "" : ` as of ${words.ago(now - sequences.asOf)}`;
    const canSteer = sequences.canSend && !shown.isFinal;
    const isPaused = shown.state === "paused";
    const isEnding = shown.state === "stopping" || shown.state === "cancelling";
    return {
        tone: TONES[shown.state] ?? "busy",
        title: [`${STATES[shown.state]}: ${ended.length} of ${shown.list.length} on `, name, age],
        running: running === undefined ? "" : runningWords(running),
        items: ended.map((command, index) => ({
            key: `${shown.id} ${index}`, id: words.visible(command.id, `${index + 1}`),
            tone: command.isFailure ? "bad" : "good",
            words: command.isFailure ? failure(command) : "",
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

function hasEnded({ state }) { return !["waiting", "running", "leftOut"].includes(state); }

function runningWords({ id, takesMs }) {
    const takes = takesMs < 1_000 ? `${takesMs} ms` : words.span(takesMs);
    return `${words.visible(id, "A command")} runs, and takes ${takes}.`;
}

function failure({ state, explanation }) { return explanation === "" ? state : `${state}: ${explanation}`; }
