// The account's logbook: what was listed, the comments that were opened, and what is being written. Pure:
// times and ids are handed in, effects come out.

import { hashOf } from "./route.js";

/** Posts, and posts whose comments, that are kept for a time without a connection. */
export const POSTS_KEPT = 500;
export const OPENED_KEPT = 50;
/** Characters of texts that are kept; what is older goes. */
export const CHARACTERS_KEPT = 1_000_000;
/** Drafts that are kept: of a post, and of comments on posts. */
const DRAFTS_AT_MOST = 20;
/** Of what a draft is that is no comment. */
export const NEW_POST = 0;

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

export class Logbook {
    /** The newest first. */
    posts = [];
    /** How many there are altogether, here or not. */
    total = 0;
    /** Whether a list is here, be it empty. */
    hasList = false;
    /** When the list was last known to be right, in milliseconds since 1970. */
    asOf = 0;
    isListing = false;
    /** Why the list could not be had; empty where it could. */
    words = "";
    /** The post that is shown; null where none is. */
    shown = null;
    /** Whether its comments are open. */
    isOpen = false;
    /** What became of fetching it. @type {"idle" | "loading" | "failed" | "missing"} */
    fetching = "idle";
    fetchWords = "";

    #connection;
    #notices;
    #do;
    /** Whether something was written about the shown post since it was asked for. */
    #isOutdated = false;
    /** The address that was opened last; null before the first. */
    #address = null;
    /** The comments on posts, the one that was opened last at the end. */
    #comments = new Map();
    /** @type {Map<number, Draft>} By the post that a comment is for. */
    #drafts = new Map();

    /**
     * @param {import("./connection.js").Connection} connection
     * @param {import("./notices.js").Notices} notices
     * @param {(effect: import("./model.js").Effect) => void} perform Takes each effect.
     */
    constructor(connection, notices, perform) {
        this.#connection = connection;
        this.#notices = notices;
        this.#do = perform;
    }

    /** Whether something can be sent now. */
    get canWrite() {
        return this.#connection.isLive && this.#connection.hasController && this.#connection.maySwitch;
    }

    get hasOlder() { return this.posts.length < this.total; }

    post(number) { return this.posts.find((post) => post.id === number); }

    /** The comments on a post; undefined where they were never opened. */
    comments(number) { return this.#comments.get(number); }

    /** @returns {Draft} */
    draft(number) {
        return this.#drafts.get(number)
            ?? { title: "", body: "", device: null, site: "", requestId: null, isBusy: false, words: "" };
    }

    // The list.

    /** What was kept from another time. */
    recall({ posts, total, at, comments, drafts }) {
        // Who has never seen the list may still have written something.
        Object.assign(this, { posts, total: Math.max(total, posts.length), hasList: at > 0, asOf: at });
        this.#comments = new Map(comments);
        for (const [number, draft] of drafts) {
            this.#drafts.set(number, { ...draft, isBusy: false, words: "" });
        }
    }

    /** The screen of that address is shown, or comes back to a connection. */
    opened(route) {
        if (route.screen === "logbook") this.list();
        this.#subjectOf(route);
        const shown = route.screen === "post" ? route.number : null;
        const isOther = shown !== this.shown;
        if (isOther) Object.assign(this, { shown, isOpen: false, fetching: "idle", fetchWords: "" });
        if (shown !== null && this.post(shown) === undefined) this.read();
    }

    /** Wants the newest posts. */
    list() { this.#ask(null); }

    /** Wants the posts before the oldest that is here. */
    olderAsked() {
        if (this.hasOlder) this.#ask(this.posts.at(-1)?.id ?? null);
    }

    /** @param {{before: number | null, posts, total: number}} list */
    listed({ before, posts, total }, now) {
        this.isListing = false;
        const oldest = posts.at(-1)?.id ?? 0;
        // What was here joins the list where nothing can be missing in between.
        const joins = before !== null || this.posts.some((post) => post.id >= oldest);
        const others = joins ? this.posts.filter((post) => !posts.some((one) => one.id === post.id)) : [];
        const all = [...posts, ...others].sort((one, other) => other.id - one.id).slice(0, total);
        Object.assign(this, { posts: all, total, hasList: true, words: "" });
        if (before === null) this.asOf = now;
        this.keep();
    }

    listFailed(words) { Object.assign(this, { isListing: false, words }); }

    // One post.

    /** The number of comments is opened, or closed. */
    commentsAsked(isOpen) {
        this.isOpen = isOpen;
        if (isOpen) this.read();
    }

    /** Wants the post that is shown, with its comments. */
    read() {
        if (this.shown === null || !this.#connection.isLive || this.fetching === "loading") return;
        Object.assign(this, { fetching: "loading", fetchWords: "" });
        this.#isOutdated = false;
        this.#do({ do: "post", number: this.shown });
    }

    fetched({ post, comments }) {
        if (post.id === this.shown) {
            this.fetching = "idle";
            if (this.#isOutdated) return this.read();
        }
        this.#take({ ...post, commentCount: comments.length });
        this.#comments.delete(post.id);
        this.#comments.set(post.id, comments);
        this.keep();
    }

    /** @param {boolean} isMissing Whether there is no such post. */
    fetchFailed(number, words, isMissing) {
        if (number !== this.shown) return;
        Object.assign(this, { fetching: isMissing ? "missing" : "failed", fetchWords: words });
    }

    // Writing.

    /** What is written is typed; other words are another text, and need another id. */
    typed(number, { title = "", body }) {
        const draft = this.draft(number);
        if (draft.isBusy || draft.title === title && draft.body === body) return;
        this.#redraft(number, { ...draft, title, body });
    }

    /** What is being written is to be about a device, about a site, or about none. */
    about({ device = null, site = "" }) {
        const draft = this.draft(NEW_POST);
        if (draft.isBusy || draft.device === device && draft.site === site) return;
        this.#redraft(NEW_POST, { ...draft, device, site });
    }

    /** An address that leads here names what to write about; one that is opened again takes nothing back. */
    #subjectOf(route) {
        const [before, address] = [this.#address, hashOf(route)];
        this.#address = address;
        if (address === before || route.device === undefined && route.site === undefined) return;
        // What was sent before the page was closed stays what it was.
        if (before !== null || this.draft(NEW_POST).requestId === null) this.about(route);
    }

    #redraft(number, { title, body, device, site }) {
        this.#drafts.delete(number);
        if (title === "" && body === "" && device === null && site === "") return;
        this.#drafts.set(number, { title, body, device, site, requestId: null, isBusy: false, words: "" });
        if (this.#drafts.size > DRAFTS_AT_MOST) this.#drafts.delete(this.#drafts.keys().next().value);
    }

    /** @param {string} requestId Made for this try; an earlier one of the same texts counts instead. */
    sendAsked(number, requestId) {
        const draft = this.#drafts.get(number);
        if (draft === undefined || draft.isBusy || !this.canWrite) return;
        const [words] = [draft.title, draft.body].filter((text) => text.trim() !== "");
        if (words === undefined || number === NEW_POST && draft.title.trim() === "") return;
        draft.requestId ??= requestId;
        Object.assign(draft, { isBusy: true, words: "" });
        // Before it leaves: whatever happens to the page, the same can be sent again.
        this.keep();
        const { title, body, device, site, requestId: id } = draft;
        this.#do(number === NEW_POST
            ? { do: "writePost", requestId: id, title, body, device, site }
            : { do: "writeComment", number, requestId: id, body });
    }

    postWritten(requestId, post, now) {
        this.#sent(NEW_POST, requestId);
        const isNew = this.post(post.id) === undefined;
        this.#take(post);
        if (isNew) this.total += 1;
        this.#notices.add("good", post.title, "written down", now);
        this.keep();
    }

    commentWritten(requestId, comment) {
        this.#sent(comment.postId, requestId);
        const known = this.#comments.get(comment.postId);
        if (known !== undefined && !known.some((one) => one.id === comment.id)) {
            this.#comments.set(comment.postId, [...known, comment]);
            const post = this.post(comment.postId);
            if (post !== undefined) this.#take({ ...post, commentCount: known.length + 1 });
        }
        this.isOpen = true;
        this.#isOutdated = true;
        this.read();
        this.keep();
    }

    /** It was not written, or nobody knows: the texts stay, and their id. */
    sendFailed(number, requestId, words, isLost) {
        const draft = this.#drafts.get(number);
        if (draft?.requestId !== requestId) return;
        const again = "No answer came. Send it again: it is written once.";
        Object.assign(draft, { isBusy: false, words: isLost ? again : words });
        // What was refused was not written, and what is sent next is another try.
        if (!isLost) draft.requestId = null;
        this.keep();
    }

    /** Has it kept for a time without a connection. */
    keep() {
        const isSomething = this.hasList || this.#drafts.size > 0;
        if (isSomething && this.#connection.session !== null) this.#do({ do: "keepRoom", room: "logbook" });
    }

    /** What is to be kept: the newest posts and the comments opened last, as far as there is room. */
    kept() {
        let room = CHARACTERS_KEPT;
        const fits = (...texts) => (room -= texts.reduce((sum, text) => sum + text.length, 200)) >= 0;
        const drafts = [...this.#drafts];
        const posts = this.posts.slice(0, POSTS_KEPT).filter((post) => fits(post.title, post.body));
        const comments = [...this.#comments].slice(-OPENED_KEPT).reverse()
            .filter(([, all]) => fits(...all.map((one) => one.body))).reverse();
        return { posts, total: this.total, at: this.asOf, comments, drafts };
    }

    #ask(before) {
        if (this.isListing || !this.#connection.isLive) return;
        this.isListing = true;
        this.#do({ do: "posts", before });
    }

    #take(post) {
        const others = this.posts.filter((one) => one.id !== post.id);
        this.posts = [...others, post].sort((one, other) => other.id - one.id);
    }

    #sent(number, requestId) {
        if (this.#drafts.get(number)?.requestId === requestId) this.#drafts.delete(number);
    }
}
