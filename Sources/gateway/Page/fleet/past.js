// The history of the shown device. Pure.

import { HISTORY_AT_MOST } from "./fleetwire.js";

export class Past {
    /** The ID of the device; null while none is shown. */
    device = null;
    /** @type {"loading" | "here" | "failed"} */
    state = "loading";
    error = "";
    measurements = [];
    changes = [];
    outcomes = [];

    #connection;
    #do;
    #rowOf;

    /**
     * @param {import("../common/connection.js").Connection} connection
     * @param {(effect: {do: string}) => void} perform Performs an effect.
     * @param {(id: string) => import("./fleetwire.js").Device | undefined} rowOf
     */
    constructor(connection, perform, rowOf) {
        [this.#connection, this.#do, this.#rowOf] = [connection, perform, rowOf];
    }

    /** Shows a device's history, and fetches it if necessary. */
    open(device) {
        if (this.device === device && this.state === "here") return;
        if (this.device !== device) this.#clear(device);
        this.load();
    }

    close() { this.#clear(null); }

    load() {
        if (this.device === null || this.#connection.session === null) return;
        this.#do({ do: "history", id: this.device });
    }

    /** Replaces the history by the loaded one, which the device's row continues. */
    came(device, { measurements, changes, outcomes }, now) {
        if (device !== this.device) return;
        Object.assign(this, { state: "here", error: "", measurements, changes, outcomes });
        const row = this.#rowOf(device);
        if (row !== undefined) this.follow(row, now);
    }

    /** The history could not be loaded; a known one stays and is continued. */
    failed(device, message) {
        if (device !== this.device || this.state === "here") return;
        Object.assign(this, { state: "failed", error: message });
    }

    /**
     * Adds the reading and the change of a new row of the device.
     *
     * Without known changes, the state is assumed since the first reading.
     */
    follow(row, now) {
        if (row.id !== this.device || this.state === "loading") return;
        const { temperature, humidity, asOf } = row;
        const last = this.measurements.at(-1);
        if (temperature !== null && (asOf > (last?.at ?? 0) || temperature !== last.temperature)) {
            const at = Math.max(asOf, last?.at ?? 0);
            this.measurements = appended(this.measurements, { at, temperature, humidity });
        }
        const { on, mode, targetTemperature } = row;
        const state = { on, mode, targetTemperature, cause: "" };
        const changed = this.changes.at(-1);
        if (changed === undefined) {
            this.changes = [{ at: Math.min(now, this.measurements[0]?.at ?? now), ...state }];
            return;
        }
        const isSame = changed.on === on && changed.mode === mode
            && changed.targetTemperature === targetTemperature;
        if (!isSame) {
            this.changes = appended(this.changes, { at: now, ...state });
        }
    }

    /** Adds the outcome of a request of the device. */
    record(outcome) {
        if (outcome.device !== this.device || this.state === "loading") return;
        if (this.outcomes.some((one) => one.requestId === outcome.requestId)) return;
        this.outcomes = appended(this.outcomes, outcome);
    }

    #clear(device) {
        const empty = { measurements: [], changes: [], outcomes: [] };
        Object.assign(this, { device, state: "loading", error: "", ...empty });
    }
}

function appended(entries, entry) {
    return [...entries, entry].slice(-HISTORY_AT_MOST);
}
