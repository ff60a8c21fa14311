// The devices of an account, in order. Pure.

import { label } from "../common/texts.js";
import { ConditionError, parseCondition } from "./condition.js";
import { selector } from "./selector.js";

/** Ignores case, and compares numbers by value: `Bedroom 2` before `bedroom 10`. */
const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** The rows by ID, their natural order, and those that pass the filter. */
export class DeviceTable {
    #rows = new Map();
    #order = [];
    #isOrdered = true;
    #filter = "";
    /** Whether a row passes the filter; null if all do. */
    #passes = null;
    /** The error in the filter; empty for none. */
    #problem = "";
    #shown = null;

    get size() { return this.#rows.size; }

    get filter() { return this.#filter; }

    /** The error in a filter that is neither a condition nor a part of a name; empty for none. */
    get filterProblem() { return this.shown.length === 0 ? this.#problem : ""; }

    /** @returns {import("./fleetwire.js").Device | undefined} */
    row(id) { return this.#rows.get(id); }

    /** All rows, in no particular order. */
    rows() { return this.#rows.values(); }

    /** The number of rows that satisfy a predicate. */
    countOf(holds) {
        let number = 0;
        for (const row of this.#rows.values()) if (holds(row)) number += 1;
        return number;
    }

    /** Replaces all rows. */
    replace(rows) {
        this.#rows = new Map(rows.map((row) => [row.id, row]));
        this.#disorder();
    }

    /** Adds new rows, and replaces changed ones. */
    merge(rows) {
        for (const row of rows) {
            const before = this.#rows.get(row.id);
            this.#rows.set(row.id, row);
            if (before === undefined || before.name !== row.name) this.#disorder();
            else if (this.#passes !== null && this.#passes(before) !== this.#passes(row)) this.#shown = null;
        }
    }

    /** Removes rows. */
    remove(ids) {
        for (const id of ids) if (this.#rows.delete(id)) this.#disorder();
    }

    /** Shows only devices for which a condition holds; a text that is none is a part of a name or ID. */
    show(filter) {
        this.#filter = filter;
        this.#problem = "";
        this.#shown = null;
        try {
            this.#passes = parseCondition(filter);
        } catch (error) {
            if (!(error instanceof ConditionError)) throw error;
            this.#problem = error.message;
            this.#passes = selector(filter.trim());
        }
    }

    /**
     * The IDs that pass the filter, in natural order of the names.
     *
     * @returns {string[]} The same array until it changes.
     */
    get shown() {
        this.#shown ??= this.#filtered();
        return this.#shown;
    }

    #filtered() {
        if (this.#passes === null) return this.#ordered();
        return this.#ordered().filter((id) => this.#passes(this.#rows.get(id)));
    }

    #ordered() {
        if (!this.#isOrdered) {
            this.#order = [...this.#rows.values()]
                .sort((one, other) => order.compare(label(one), label(other)) || (one.id < other.id ? -1 : 1))
                .map((row) => row.id);
            this.#isOrdered = true;
        }
        return this.#order;
    }

    #disorder() {
        this.#isOrdered = false;
        this.#shown = null;
    }
}
