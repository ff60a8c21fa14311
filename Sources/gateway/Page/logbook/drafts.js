// What is being written in the logbook, kept while it is typed. Pure: effects come out.

/** Drafts that there are at most: of a post, and of comments on posts. */
export const DRAFTS_AT_MOST = 20;
/** Of what a draft is that is no comment. */
export const NEW_POST = 0;

const WORDS = ["title", "body", "device", "site"];
const EMPTY = {
    title: "", body: "", device: null, site: "", sent: null, isBusy: false, words: "", order: 0,
};
const SEND_AGAIN = "Send again: it won’t be posted twice.";
const NO_ANSWER = `No answer. ${SEND_AGAIN}`;

/**
 * @typedef {object} Draft Something that is being written.
 * @property {string} title Empty in a comment.
 * @property {string} body
 * @property {string | null} device What a post is about; null where it is about none.
 * @property {string} site The name of what it is about; empty where it is about none.
 * @property {{title, body, device, site, requestId} | null} sent As it was sent last, where nobody knows what
 *     became of that.
 * @property {boolean} isBusy Whether it is on its way.
 * @property {string} words Why it is not written; empty where nothing went wrong.
 * @property {number} order Higher than that of all that were changed before.
 */

export class Drafts {
    #do;
    /** @type {Map<number, Draft>} By the post that a comment is for; what changed last is the last. */
    #all = new Map();
    /** Those that the browser keeps otherwise than they are, or not yet. */
    #unkept = new Set();
    #order = 0;

    /** @param {(effect: import("../app/model.js").Effect) => void} perform Takes each effect. */
    constructor(perform) {
        this.#do = perform;
    }

    /** @returns {Draft & {requestId: string | null}} With the id that these words were sent under, if any. */
    of(number) {
        const draft = this.#find(number);
        return { ...draft, requestId: idOf(draft) };
    }

    /** What was kept from another time. @param {{number: number, draft: Draft}[]} drafts */
    recall(drafts) {
        const byOrder = [...drafts].sort((one, other) => one.draft.order - other.draft.order);
        for (const { number, draft } of byOrder) this.#all.set(number, { ...EMPTY, ...draft });
        this.#order = byOrder.at(-1)?.draft.order ?? 0;
    }

    change(number, texts) {
        const before = this.#find(number);
        if (before.isBusy || Object.entries(texts).every(([name, text]) => before[name] === text)) return;
        this.#put(number, { ...before, ...texts, words: "" });
        const idle = [...this.#all.keys()].filter((one) => !this.#all.get(one).isBusy);
        if (this.#all.size > DRAFTS_AT_MOST && idle.length > 0) this.#put(idle[0], EMPTY);
    }

    /**
     * It is to be sent.
     *
     * @param {string} requestId Made for this try; an earlier one of the same words counts instead.
     * @returns {(Draft & {requestId: string}) | null} Null where nothing is to be sent, or it is on its way.
     */
    begin(number, requestId) {
        const draft = this.#find(number);
        const words = number === NEW_POST ? draft.title : draft.body;
        if (draft.isBusy || words.trim() === "") return null;
        const sent = { ...wordsOf(draft), requestId: idOf(draft) ?? requestId };
        this.#put(number, { ...draft, sent, isBusy: true, words: "" });
        // Before it leaves: whatever happens to the page, the same can be sent again.
        this.keep();
        return this.of(number);
    }

    /** It was written. */
    end(number, requestId) {
        if (idOf(this.#find(number)) !== requestId) return;
        this.#put(number, EMPTY);
    }

    /**
     * It was not written, or nobody knows: the texts stay.
     *
     * @param {string} words The gateway's answer; empty without one.
     * @param {boolean} isLost Whether the result of the request is unknown.
     * @param {boolean} keepsId Whether what came says nothing of an earlier try under that id.
     */
    fail(number, requestId, words, isLost, keepsId) {
        const draft = this.#find(number);
        if (idOf(draft) !== requestId) return;
        // What was refused was not written, and what is sent next is another try.
        const sent = keepsId ? draft.sent : null;
        const why = !isLost ? words : words === "" ? NO_ANSWER : `${words} ${SEND_AGAIN}`;
        this.#put(number, { ...draft, sent, isBusy: false, words: why });
    }

    /**
     * Another page of this browser keeps one otherwise than before; null where it keeps none.
     *
     * The same words are the same draft: what was sent or written there is sent or written here. Of other
     * words nothing is taken: what somebody types changes under nobody's hands.
     */
    changedElsewhere(number, before, after) {
        const own = this.#find(number);
        if (own.isBusy || !isSame(after ?? before, own)) return;
        if (after === null) {
            this.#all.delete(number);
            this.#unkept.delete(number);
        } else if (idOf(own) === null && isSame(after.sent, own)) {
            this.#all.set(number, { ...own, sent: after.sent });
        }
    }

    /** Has the browser keep what has changed. */
    keep() {
        for (const number of this.#unkept) {
            this.#do({ do: "keepDraft", number, draft: this.#all.get(number) ?? null });
        }
        this.#unkept.clear();
    }

    #find(number) { return this.#all.get(number) ?? EMPTY; }

    #put(number, draft) {
        this.#unkept.add(number);
        this.#all.delete(number);
        if (isSame(EMPTY, draft)) return;
        this.#order += 1;
        this.#all.set(number, { ...draft, order: this.#order });
    }
}

/** The id that a draft's words were sent under; null where they never were. */
function idOf(draft) { return isSame(draft.sent, draft) ? draft.sent.requestId : null; }

/** Whether these are words, and the same. */
function isSame(words, draft) { return words !== null && WORDS.every((name) => words[name] === draft[name]); }

function wordsOf(draft) { return Object.fromEntries(WORDS.map((name) => [name, draft[name]])); }
