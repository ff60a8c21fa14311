// The drafts of the logbook, stored while the user types. Pure: effects are results.

/** The maximum number of drafts: of a post, and of comments on posts. */
export const DRAFTS_AT_MOST = 20;
/** The number under which the draft of a new post is stored. */
export const NEW_POST = 0;

const TEXTS = ["title", "body", "device", "site"];
const EMPTY = {
    title: "", body: "", device: null, site: "", sent: null, isBusy: false, error: "", order: 0,
};
const SEND_AGAIN = "Send again: it won’t be posted twice.";
const NO_ANSWER = `No answer. ${SEND_AGAIN}`;

/**
 * @typedef {object} Draft A draft of a post or a comment.
 * @property {string} title Empty in a comment.
 * @property {string} body
 * @property {string | null} device The device that a post is about; null for none.
 * @property {string} site The name of the site that a post is about; empty for none.
 * @property {{title, body, device, site, requestId} | null} sent The last version sent, while the result of
 *     the request is unknown; null otherwise.
 * @property {boolean} isBusy Whether it is being sent.
 * @property {string} error Why it could not be posted; empty without an error.
 * @property {number} order Increases with each change of any draft.
 */

export class Drafts {
    #do;
    /** @type {Map<number, Draft>} By the post of a comment; the last changed one is last. */
    #all = new Map();
    /** The drafts with changes that the browser has not stored yet. */
    #unsaved = new Set();
    #order = 0;

    /** @param {(effect: {do: string}) => void} perform Performs an effect. */
    constructor(perform) {
        this.#do = perform;
    }

    /** @returns {Draft & {requestId: string | null}} With the ID under which this text was sent, if any. */
    of(number) {
        const draft = this.#find(number);
        return { ...draft, requestId: idOf(draft) };
    }

    /** Restores stored drafts. @param {{number: number, draft: Draft}[]} drafts */
    restore(drafts) {
        const byOrder = [...drafts].sort((one, other) => one.draft.order - other.draft.order);
        for (const { number, draft } of byOrder) this.#all.set(number, { ...EMPTY, ...draft });
        this.#order = byOrder.at(-1)?.draft.order ?? 0;
    }

    change(number, texts) {
        const before = this.#find(number);
        if (before.isBusy || Object.entries(texts).every(([name, text]) => before[name] === text)) return;
        this.#put(number, { ...before, ...texts, error: "" });
        const idle = [...this.#all.keys()].filter((one) => !this.#all.get(one).isBusy);
        if (this.#all.size > DRAFTS_AT_MOST && idle.length > 0) this.#put(idle[0], EMPTY);
    }

    /**
     * Begins to send a draft.
     *
     * @param {string} requestId A new ID; a retry of the same text uses its earlier ID instead.
     * @returns {(Draft & {requestId: string}) | null} Null if the draft is empty or being sent.
     */
    begin(number, requestId) {
        const draft = this.#find(number);
        const text = number === NEW_POST ? draft.title : draft.body;
        if (draft.isBusy || text.trim() === "") return null;
        const sent = { ...textsOf(draft), requestId: idOf(draft) ?? requestId };
        this.#put(number, { ...draft, sent, isBusy: true, error: "" });
        // The draft is stored before it is sent, so that the same request can be retried after a reload.
        this.store();
        return this.of(number);
    }

    finish(number, requestId) {
        if (idOf(this.#find(number)) !== requestId) return;
        this.#put(number, EMPTY);
    }

    /**
     * Sending failed, or its result is unknown: the text stays.
     *
     * @param {string} message The gateway's answer; empty without one.
     * @param {boolean} isLost Whether the result of the request is unknown.
     * @param {boolean} keepsId Whether an earlier attempt with that ID may have succeeded.
     */
    fail(number, requestId, message, isLost, reusesId) {
        const draft = this.#find(number);
        if (idOf(draft) !== requestId) return;
        // A refused draft was not posted, so the next attempt gets another ID.
        const sent = reusesId ? draft.sent : null;
        const why = !isLost ? message : message === "" ? NO_ANSWER : `${message} ${SEND_AGAIN}`;
        this.#put(number, { ...draft, sent, isBusy: false, error: why });
    }

    /**
     * Another page of this browser has changed its stored draft; null for none.
     *
     * A draft with the same text is the same draft, and takes over its state. Different text is ignored, so
     * that a text does not change while the user types.
     */
    changedElsewhere(number, before, after) {
        const own = this.#find(number);
        if (own.isBusy || !isSame(after ?? before, own)) return;
        if (after === null) {
            this.#all.delete(number);
            this.#unsaved.delete(number);
        } else if (idOf(own) === null && isSame(after.sent, own)) {
            this.#all.set(number, { ...own, sent: after.sent });
        }
    }

    store() {
        for (const number of this.#unsaved) {
            this.#do({ do: "storeDraft", number, draft: this.#all.get(number) ?? null });
        }
        this.#unsaved.clear();
    }

    #find(number) { return this.#all.get(number) ?? EMPTY; }

    #put(number, draft) {
        this.#unsaved.add(number);
        this.#all.delete(number);
        if (isSame(EMPTY, draft)) return;
        this.#order += 1;
        this.#all.set(number, { ...draft, order: this.#order });
    }
}

/** The ID under which a draft's text was sent; null if it was not sent. */
function idOf(draft) { return isSame(draft.sent, draft) ? draft.sent.requestId : null; }

/** Whether two drafts have the same text; false for null. */
function isSame(texts, draft) { return texts !== null && TEXTS.every((name) => texts[name] === draft[name]); }

function textsOf(draft) { return Object.fromEntries(TEXTS.map((name) => [name, draft[name]])); }
