// One device's past, as it is shown beside its present. Pure.

import { HISTORY_AT_MOST } from "../app/wire.js";

export class Past {
    /** Of which device; null while none is shown. */
    device = null;
    /** @type {"loading" | "here" | "failed"} */
    state = "loading";
    /** Why it could not be had. */
    words = "";
    measurements = [];
    changes = [];
    outcomes = [];

    /** That of another device, of which nothing is known yet. */
    open(device) {
        if (this.device === device) return;
        Object.assign(this, new Past(), { device });
    }

    close() { this.open(null); }

    /** It came, and takes the place of what was known. */
    fill({ measurements, changes, outcomes }) {
        Object.assign(this, { state: "here", words: "", measurements, changes, outcomes });
    }

    /** It could not be had; what is known stays, and what comes is added. */
    fail(words) {
        if (this.state !== "here") Object.assign(this, { state: "failed", words });
    }

    /**
     * A row of the device came: what it measured, and what it changed to.
     *
     * Where nothing is known to have changed it has been so since the first measurement.
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

    /** A request of the device has ended. */
    note(outcome) {
        if (outcome.device !== this.device || this.state === "loading") return;
        if (this.outcomes.some((one) => one.requestId === outcome.requestId)) return;
        this.outcomes = appended(this.outcomes, outcome);
    }
}

function appended(entries, entry) {
    return [...entries, entry].slice(-HISTORY_AT_MOST);
}
