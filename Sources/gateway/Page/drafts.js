// What is being written in the logbook, kept while it is typed. Pure: effects come out.

/** Drafts that there are at most: of a post, and of comments on posts. */
export const DRAFTS_AT_MOST = 20;
/** Of what a draft is that is no comment. */
export const NEW_POST = 0;

const EMPTY = { title: "", body: "", device: null, site: "", requestId: null, isBusy: false, words: "" };
const NO_ANSWER = "No answer came. Send it again: it is written once.";

/**
 * @typedef {object} Draft Something that is being written.
 * @property {string} title Empty in a comment.
 * @property {string} body
 * @property {string | null} device What a post is about; null where it is about none.
 * @property {string} site The name of what it is about; empty where it is about none.
 * @property {string | null} requestId Of these texts, once they were sent; null before.
 * @property {boolean} isBusy Whether it is on its way.
 * @property {string} words Why it is not written; empty where nothing went wrong.
 */

export class Drafts {
    #do;
    /** @type {Map<number, Draft>} By the post that a comment is for; what changed last is the last. */
    #all = new Map();
    /** Those that the browser keeps otherwise than they are, or not yet. */
    #unkept = new Set();
    /** Those that were changed last on this page. */
    #own = new Set();

    /** @param {(effect: import("./model.js").Effect) => void} perform Takes each effect. */
    constructor(perform) {
        this.#do = perform;
    }

    /** @returns {Draft} */
    of(number) { return { ...EMPTY, ...this.#all.get(number) }; }

    /** What was kept from another time. @param {[number, Draft][]} drafts */
    recall(drafts) {
        for (const [number, draft] of drafts) this.#take(number, draft);
    }

    /** Other words are another text, and need another id. */
    change(number, texts) {
        const before = this.of(number);
        if (before.isBusy || Object.entries(texts).every(([name, text]) => before[name] === text)) return;
        this.#put(number, { ...before, ...texts, requestId: null, words: "" });
        this.#own.add(number);
        const idle = [...this.#all.keys()].filter((one) => !this.#all.get(one).isBusy);
        if (this.#all.size > DRAFTS_AT_MOST && idle.length > 0) this.#put(idle[0], EMPTY);
    }

    /**
     * It is to be sent.
     *
     * @param {string} requestId Made for this try; an earlier one of the same texts counts instead.
     * @returns {Draft | null} Null where there is nothing to send, or it is on its way.
     */
    begin(number, requestId) {
        const draft = this.of(number);
        const words = number === NEW_POST ? draft.title : draft.body;
        if (draft.isBusy || words.trim() === "") return null;
        this.#put(number, { ...draft, requestId: draft.requestId ?? requestId, isBusy: true, words: "" });
        // Before it leaves: whatever happens to the page, the same can be sent again.
        this.keep();
        return this.of(number);
    }

    /** It was written. */
    end(number, requestId) {
        if (this.of(number).requestId !== requestId) return;
        this.#put(number, EMPTY);
        this.keep();
    }

    /** It was not written, or nobody knows: the texts stay, and their id. */
    fail(number, requestId, words, isLost) {
        const draft = this.of(number);
        if (draft.requestId !== requestId) return;
        // What was refused was not written, and what is sent next is another try.
        const id = isLost ? requestId : null;
        this.#put(number, { ...draft, requestId: id, isBusy: false, words: isLost ? NO_ANSWER : words });
        this.keep();
    }

    /** Another page of this browser has changed one. @param {Draft | null} draft Null where it is no more. */
    changedElsewhere(number, draft) {
        // What is on its way ends with its answer, and what was typed here just now is later.
        if (this.of(number).isBusy || this.#unkept.has(number)) return;
        // What was written over there is not what was typed here since.
        const isOwn = draft === null && this.#own.has(number);
        if (isOwn) this.#unkept.add(number);
        else this.#take(number, draft);
    }

    /** Has the browser keep what has changed. */
    keep() {
        for (const number of this.#unkept) {
            this.#do({ do: "keepDraft", number, draft: this.#all.get(number) ?? null });
        }
        this.#unkept.clear();
    }

    #take(number, draft) {
        this.#put(number, { ...EMPTY, ...draft });
        this.#unkept.delete(number);
        this.#own.delete(number);
    }

    #put(number, draft) {
        this.#unkept.add(number);
        this.#all.delete(number);
        const { title, body, device, site } = draft;
        if (title !== "" || body !== "" || device !== null || site !== "") this.#all.set(number, draft);
    }
}
