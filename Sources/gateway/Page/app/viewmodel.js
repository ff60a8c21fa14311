// The views, as texts and flags. Pure: functions of the model and the time.

import { toneOf } from "./notices.js";
import { hashOf } from "./route.js";
import { stepOf } from "../login/loginforms.js";
import * as texts from "../common/texts.js";

const SETTLING = "The controller just started; some devices may still be missing.";

/** The screen to show. */
export function screenOf(model) {
    if (model.phase === "login") return stepOf(model.route);
    return model.phase === "in" ? model.route.screen : model.phase;
}

const RESET_CLOSED = "Password reset is disabled. Ask the operator for a new password.";
const NOTHING_STORED = "You’re offline, and nothing is stored on this device yet.";

/** The texts of the log-in screens: the button, the button while the form is sent, and hints. */
const FORMS = {
    login: { button: "Log in", busy: "Logging in…", hint: "", closed: "" },
    signup: {
        button: "Sign up", busy: "Signing up…",
        hint: "Create your own account. Choose a password of 8 characters or more.",
        closed: "Sign-up is disabled. Ask the operator for access.",
    },
    forgot: {
        button: "Send code", busy: "Sending…",
        hint: "We’ll send you a code to reset your password.", closed: RESET_CLOSED,
    },
    reset: {
        button: "Set new password", busy: "Saving…",
        hint: "The code works once, for 15 minutes. Choose a password of 8 characters or more. "
            + "You’ll be signed out everywhere, and your API keys are revoked.",
        closed: RESET_CLOSED,
    },
};

/** The screen that is shown without a session. */
export function loginView(model, now) {
    const { loginForms } = model;
    const step = stepOf(model.route);
    const { button, busy, hint, closed } = FORMS[step];
    const { isBusy, isSame, isComplete, error } = loginForms.form(step);
    // Stored data is shown instead of the log-in.
    const isFirst = step === "login" && !model.connection.canBeReached;
    const labels = {
        connecting: "Connecting…", established: isBusy ? busy : button, error: "You are offline",
    };
    return {
        button: labels[model.connectionState],
        canSend: loginForms.canSend(step), canMove: loginForms.canMove(step),
        offered: loginForms.offered, isBusy, email: loginForms.email,
        hint: isFirst ? NOTHING_STORED : loginForms.isOpen(step) ? hint : closed,
        success: loginForms.success, notice: loginForms.notice(now),
        error: error === "" && isComplete && !isSame ? "Passwords don’t match." : error,
    };
}

/**
 * The state of the connection.
 *
 * @returns {{tone: "good" | "busy" | "bad", text: string, detail: string, bulletin}} A word, a sentence with
 *     details, and the bulletin.
 */
export function connectionView(model, now) {
    return { ...liveness(model, now), bulletin: model.fleet.bulletin.view(now) };
}

/** The popup about the connection. @returns {{tone: string, text: string}} */
export function popupView(model, now) {
    const { tone, text } = model.popup.view(now);
    return { tone, text: text !== "" && model.connection.rehearsed !== null ? `${text} (rehearsed)` : text };
}

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

function liveness({ connection, fleet }, now) {
    const { trouble } = connection;
    if (trouble === null) return { tone: "good", text: "Live", detail: "" };
    const { tone, text, detail } = TROUBLES[trouble];
    if (connection.isLive || !fleet.hasList) return { tone, text, detail };
    const age = texts.ago(now - fleet.asOf);
    const known = trouble === "connecting" ? `Updated ${age}.` : `Showing the last known state (${age}).`;
    return { tone, text, detail: `${detail} ${known}`.trim() };
}

/** The screen with all devices; each row is a `rowView`. */
export function listView(model, now) {
    const { fleet } = model;
    const { devices } = fleet;
    const ids = devices.shown;
    return {
        account: model.connection.session?.account ?? "",
        email: model.email,
        connection: connectionView(model, now),
        ids,
        summary: summary(fleet, ids),
        filter: devices.filter,
        filterProblem: filterProblem(devices),
        nothing: nothing(fleet, ids),
        isRefreshing: fleet.isRefreshing,
        canRefresh: model.connection.isLive && !fleet.isRefreshing,
        hint: fleet.isSettling ? SETTLING : model.connection.isOffDuty ? texts.OFF_DUTY : "",
    };
}

/** A row of the list; null for an unknown device. */
export function rowView(model, id, now) {
    const row = model.fleet.devices.row(id);
    if (row === undefined) return null;
    const power = powerView(model, row);
    return {
        id,
        name: texts.label(row),
        line: line(row, now, power),
        tone: tone(row),
        mode: row.mode,
        temperature: texts.roomTemperature(row.temperature, row.unit),
        version: row.version,
        power,
    };
}

/** A device's switch. */
export function powerView(model, row) {
    const { fleet, connection } = model;
    const command = fleet.commands.of(row.id);
    const isPending = command !== undefined;
    return {
        isOn: isPending ? command.expected : row.on,
        isPending,
        isCancelling: isPending && command.cancel !== "no",
        canPress: isPending ? fleet.canCancel(row.id) : fleet.canToggle(row),
        why: isPending ? pressText(command) : whyNot(connection, row),
    };
}

/** The screen of one device. */
export function deviceView(model, now) {
    const { fleet } = model;
    const id = model.route.id;
    const row = fleet.devices.row(id);
    const common = { id, connection: connectionView(model, now), past: fleet.past };
    if (row === undefined) {
        const text = fleet.hasList ? "This account has no such device." : "Loading…";
        return { ...common, isKnown: false, text };
    }
    const command = fleet.commands.of(id);
    const power = powerView(model, row);
    return {
        ...common,
        isKnown: true,
        unit: row.unit,
        name: texts.label(row),
        tone: tone(row),
        mode: row.mode,
        power,
        state: power.isPending ? stateText(power) : row.on ? `On · ${texts.setting(row)}` : doing(row),
        temperature: texts.roomTemperature(row.temperature, row.unit),
        facts: facts(row, now),
        cancel: command === undefined ? null : cancelView(command, model, now),
        entries: entries(fleet.past),
        writeHref: model.connection.maySwitch ? hashOf({ screen: "logbook", device: id }) : null,
    };
}

/** The tooltip of a pending switch. */
function pressText({ cancel }) {
    return cancel === "no" ? "Switching… Press again to cancel." : "Cancelling…";
}

function whyNot(connection, row) {
    if (texts.onlyMeasures(row)) return "Sensor only";
    if (connection.trouble !== null) return `Can’t switch: ${TROUBLES[connection.trouble].why}`;
    if (!connection.maySwitch) return "View-only access";
    if (connection.isOffDuty) return texts.OFF_DUTY;
    return row.presence === "online" ? "" : `Can’t switch: ${texts.presence(row).toLowerCase()}`;
}

function tone(row) {
    if (row.presence !== "online") return "offline";
    return row.on ? "on" : "off";
}

function stateText({ isPending, isCancelling, isOn }) {
    if (isCancelling) return "Cancelling…";
    if (isPending) return isOn ? "Turning on…" : "Turning off…";
    return isOn ? "On" : "Off";
}

function line(row, now, power) {
    if (power.isPending) return stateText(power);
    const site = row.site === "" ? "" : ` · ${row.site}`;
    if (row.presence !== "online") return `${texts.presence(row)}${since(row, now)}${site}`;
    return `${doing(row)}${site}`;
}

function doing(row) {
    if (texts.onlyMeasures(row)) return "Sensor";
    return row.on ? texts.setting(row) : "Off";
}

function since(row, now) {
    return row.since > 0 ? ` · ${texts.span(now - row.since)}` : "";
}

function facts(row, now) {
    const isOnline = row.presence === "online";
    return [
        ["Connection", isOnline ? "Online" : `${texts.presence(row)}${since(row, now)}`],
        ["Setting", texts.onlyMeasures(row) ? "" : texts.setting(row)],
        ["Fan", texts.onlyMeasures(row) ? "" : texts.capitalised(row.fanLevel)],
        ["Humidity", row.humidity === null ? "" : `${Math.round(row.humidity)} %`],
        ["Last reading", row.temperature === null ? "" : texts.ago(now - row.asOf)],
        ["Site", row.site],
        ["Model", row.model],
        ["Changes made", row.version > 0 ? texts.grouped(row.version - 1) : ""],
        ["ID", row.id],
    ].filter(([, text]) => text !== "");
}

function cancelView(command, model, now) {
    const seconds = Math.floor((now - command.askedAt) / 1_000);
    const waits = seconds >= 1 ? ` ${seconds} s` : "";
    const text = {
        no: command.losses > 0 ? "No answer yet. Asking again…" : `Waiting for the device…${waits}`,
        asked: "Cancelling…",
        pending: "Cancelling when the device answers…",
    }[command.cancel];
    return { text, isPossible: model.fleet.canCancel(command.device) };
}

function summary(fleet, ids) {
    if (!fleet.hasList) return "";
    const { devices } = fleet;
    const all = texts.count(devices.size, "device");
    if (devices.filter.trim() !== "") return `${texts.grouped(ids.length)} of ${all}`;
    const online = devices.countOf((row) => row.presence === "online");
    const on = devices.countOf((row) => row.on);
    return `${all} · ${texts.grouped(online)} online · ${texts.grouped(on)} on`;
}

function filterProblem({ filterProblem }) {
    return filterProblem === "" ? "" : `This isn’t a condition: ${filterProblem}.`;
}

function nothing(fleet, ids) {
    if (ids.length > 0) return "";
    if (!fleet.hasList) return "Loading…";
    return fleet.devices.size === 0 ? "This account has no devices yet." : "No devices match.";
}

/** The events of a device, newest first: outcomes of requests, and other changes. */
function entries(past) {
    const outcomes = past.outcomes.map((one) => ({
        key: one.requestId, at: one.at, tone: toneOf(one.kind), kind: one.kind,
        text: one.actor === "" || one.message.includes(one.actor)
            ? one.message : `${one.message} · ${one.actor}`,
    }));
    const changes = past.changes.filter((one) => one.cause !== "" && one.cause !== "request").map((one) => ({
        key: `${one.at} ${one.cause}`, at: one.at, tone: "plain", kind: "changed",
        text: `${one.on ? "on" : "off"} ${texts.cause(one.cause)}`.trim(),
    }));
    return [...outcomes, ...changes].sort((one, other) => other.at - one.at).slice(0, 100);
}
