// The text in the search field of the list. The gateway decides which devices it shows, because it may be a
// condition; without an answer, it is a part of a name or an ID. Pure.

/** The maximum length of a condition, characters; the gateway has the same limit. */
export const LONGEST_CONDITION = 4_096;
/** The most devices in one question; after more changes the gateway is asked about all. */
const ASKED_AT_MOST = 1_000;

/** A text for comparison: without regard to case, and to the composition of its characters. */
const folded = (text) => text.normalize("NFC").toLowerCase();

/** @typedef {{text: string, ids: string[] | null}} Question About these devices; null: about all. */

export class Filter {
    text = "";
    /** The error in the last answered text, which then is no condition; empty for none. */
    problem = "";
    /** The text that the gateway has answered last; null before the first. */
    #answered = null;
    #shown = new Set();
    /** The devices to ask about; null for all. @type {Set<string> | null} */
    #changed = new Set();
    #isAwaited = false;
    #hasFailed = false;

    get isEmpty() { return this.text.trim() === ""; }

    get isAnswered() { return this.#answered === this.text; }

    /** Whether the text is only a part of a name or an ID, because the gateway does not answer. */
    get isByName() { return !this.isEmpty && !this.isAnswered && this.#hasFailed; }

    /** Whether the gateway's answer is still to come. */
    get isPending() { return !this.isEmpty && !this.isAnswered && !this.#hasFailed; }

    show(text) {
        this.text = text;
        this.#hasFailed = false;
        if (this.isEmpty) this.problem = "";
        this.changed(null);
    }

    /** Whether a device is shown. @param {import("./fleetwire.js").Device} row */
    shows({ id, name }) {
        if (this.isEmpty) return true;
        if (this.isAnswered) return this.#shown.has(id);
        const part = folded(this.text.trim().replace(/\s+/g, " "));
        return folded(name).includes(part) || folded(id).includes(part);
    }

    /** Devices have changed. @param {string[] | null} ids Null if any may have. */
    changed(ids) {
        if (this.isEmpty) return;
        if (ids === null || (this.#changed?.size ?? 0) + ids.length > ASKED_AT_MOST) this.#changed = null;
        else for (const id of ids) this.#changed?.add(id);
    }

    /** Returns the question to ask now; null for none. @returns {Question | null} */
    question() {
        if (this.isEmpty || this.#isAwaited || this.#changed?.size === 0) return null;
        const ids = this.#changed && [...this.#changed];
        this.#isAwaited = true;
        this.#changed = new Set();
        return { text: this.text, ids };
    }

    /**
     * A question was answered.
     *
     * @param {Question} question
     * @param {{shown: string[], problem: string}} answer The devices that are shown, among those of the
     *     question; and the error in the text.
     * @returns {boolean} Whether other devices may be shown than before.
     */
    answer({ text, ids }, { shown, problem }) {
        this.#isAwaited = false;
        if (text !== this.text) return false;
        const found = new Set(shown);
        const isSame = this.isAnswered && ids?.every((id) => found.has(id) === this.#shown.has(id)) === true;
        if (isSame) return false;
        if (ids === null) this.#shown.clear();
        for (const id of ids ?? []) this.#shown.delete(id);
        for (const id of found) this.#shown.add(id);
        this.problem = problem;
        this.#answered = text;
        return true;
    }

    /** A question was not answered, or cannot be asked; the next one is about all devices. */
    fail() {
        this.#isAwaited = false;
        this.#hasFailed = true;
        if (!this.isAnswered) this.problem = "";
        this.changed(null);
    }
}
