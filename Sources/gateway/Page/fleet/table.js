// The devices of an account, in order. Pure.

import { label } from "../common/texts.js";
import { Filter } from "./filter.js";

/** Ignores case, and compares numbers by value: `Bedroom 2` before `bedroom 10`. */
const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** The rows by ID, their natural order, and those that pass the filter. */
export class DeviceTable {
    #rows = new Map();
    #order = [];
    #isOrdered = true;
    filter = new Filter();
    #shown = null;
    /** The IDs that were shown before the current text of the filter. */
    #before = [];

    get size() { return this.#rows.size; }

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

    replace(rows) {
        this.#rows = new Map(rows.map((row) => [row.id, row]));
        this.filter.changed(null);
        this.#disorder();
    }

    /** Adds new rows, and replaces changed ones. */
    merge(rows) {
        for (const row of rows) {
            const before = this.#rows.get(row.id);
            this.#rows.set(row.id, row);
            if (before === undefined || before.name !== row.name) this.#disorder();
        }
        this.filter.changed(rows.map(({ id }) => id));
    }

    remove(ids) {
        for (const id of ids) if (this.#rows.delete(id)) this.#disorder();
    }

    /** Shows only the devices that a text selects: the gateway decides which, as soon as it answers. */
    show(text) {
        this.#before = this.shown;
        this.filter.show(text);
        this.#shown = null;
    }

    /** The gateway has answered a question of the filter; null: it does not answer. */
    answered(question, answer) {
        if (answer === null) this.filter.fail();
        if (answer === null || this.filter.answer(question, answer)) this.#shown = null;
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
        if (this.filter.isEmpty) return this.#ordered();
        const found = this.#ordered().filter((id) => this.filter.shows(this.#rows.get(id)));
        // A condition that no name has: the former rows stay until the gateway has answered.
        if (found.length > 0 || !this.filter.isPending) return found;
        return this.#before.filter((id) => this.#rows.has(id));
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
