// The account's logbook: loaded posts, opened comments, and drafts. Pure: times and IDs are parameters,
// effects are results.

import { Drafts, NEW_POST } from "./drafts.js";

/** The maximum numbers of stored posts, and of posts with stored comments. */
export const POSTS_STORED = 500;
const OPENED_STORED = 50;
/** The maximum number of stored characters; older texts are dropped. */
export const CHARACTERS_STORED = 1_000_000;

export class Logbook {
    /** The loaded posts, newest first. */
    posts = [];
    /** The number of all posts, loaded or not. */
    total = 0;
    /** Whether a list is loaded, which may be empty. */
    hasList = false;
    /** When the list was last known to be current, in milliseconds since 1970. */
    asOf = 0;
    isListing = false;
    /** Why the list could not be loaded; empty without an error. */
    error = "";
    /** The number of the shown post; null for none. */
    shown = null;
    isOpen = false;
    /** The state of fetching it. @type {"idle" | "loading" | "failed" | "missing"} */
    fetching = "idle";
    fetchError = "";

    #connection;
    #notices;
    #do;
    /** The post that got a comment after its request; null for none. */
    #outdated = null;
    /** The last opened address; null before the first. */
    #address = null;
    /** The comments by post, the last opened one last. */
    #comments = new Map();
    #drafts;

    /**
     * @param {import("../common/connection.js").Connection} connection
     * @param {import("../common/notices.js").Notices} notices
     * @param {(effect: {do: string}) => void} perform Performs an effect.
     */
    constructor(connection, notices, perform) {
        this.#connection = connection;
        this.#notices = notices;
        this.#do = perform;
        this.#drafts = new Drafts(perform);
    }

    /** Whether a post or comment can be sent now. */
    get canWrite() {
        return this.#connection.isLive && this.#connection.hasController && this.#connection.maySwitch;
    }

    get hasOlder() { return this.posts.length < this.total; }

    post(number) { return this.posts.find((post) => post.id === number); }

    /** The comments on a post; undefined if they were never loaded. */
    comments(number) { return this.#comments.get(number); }

    /** The draft of a comment on that post, or of a new post. */
    draft(number) { return this.#drafts.of(number); }

    // The list.

    restore({ posts, total, at, comments }) {
        Object.assign(this, { posts, total: Math.max(total, posts.length), hasList: true, asOf: at });
        this.#comments = new Map(comments);
    }

    restoreDrafts(drafts) { this.#drafts.restore(drafts); }

    /** The screen of that address is shown, or the connection is back. */
    opened(route) {
        if (route.screen === "logbook") this.list();
        this.#subjectOf(route);
        const shown = route.screen === "post" ? route.number : null;
        const isOther = shown !== this.shown;
        if (isOther) Object.assign(this, { shown, isOpen: false, fetching: "idle", fetchError: "" });
        const isNeeded = this.post(shown) === undefined || shown === this.#outdated;
        if (shown !== null && isNeeded) this.read();
    }

    /** Requests the newest posts. */
    list() { this.#ask(null); }

    /** Requests the posts before the oldest loaded one. */
    olderAsked() {
        if (this.hasOlder) this.#ask(this.posts.at(-1)?.id ?? null);
    }

    /** @param {{before: number | null, posts, total: number}} list */
    listed({ before, posts, total }, now) {
        this.isListing = false;
        const oldest = posts.at(-1)?.id ?? 0;
        // The loaded posts are kept if none can be missing in between.
        const joins = before !== null || this.posts.some((post) => post.id >= oldest);
        const others = joins ? this.posts.filter((post) => !posts.some((one) => one.id === post.id)) : [];
        const all = [...posts, ...others].sort((one, other) => other.id - one.id).slice(0, total);
        Object.assign(this, { posts: all, total, hasList: true, error: "" });
        if (before === null) this.asOf = now;
        this.store();
    }

    listFailed(message) { Object.assign(this, { isListing: false, error: message }); }

    // One post.

    commentsAsked(isOpen) {
        this.isOpen = isOpen;
        if (isOpen) this.read();
    }

    read() {
        if (this.shown === null || !this.#connection.isLive || this.fetching === "loading") return;
        Object.assign(this, { fetching: "loading", fetchError: "" });
        if (this.#outdated === this.shown) this.#outdated = null;
        this.#do({ do: "post", number: this.shown });
    }

    fetched({ post, comments }) {
        const isShown = post.id === this.shown;
        if (isShown) this.fetching = "idle";
        if (post.id === this.#outdated) {
            if (isShown && this.#connection.isLive) return this.read();
            // The loaded comments include the later one.
            if (this.#comments.has(post.id)) return;
        }
        this.#replacePost({ ...post, commentCount: comments.length });
        this.#comments.delete(post.id);
        this.#comments.set(post.id, comments);
        this.store();
    }

    /** @param {boolean} isMissing Whether the post does not exist. */
    fetchFailed(number, message, isMissing) {
        if (number !== this.shown) return;
        Object.assign(this, { fetching: isMissing ? "missing" : "failed", fetchError: message });
    }

    // Writing.

    /** Stores changed drafts, in case the page is closed. */
    ticked() { this.#storeDrafts(); }

    typed(number, { title = "", body }) { this.#drafts.change(number, { title, body }); }

    /** Sets the subject of the new post: a device, a site, or none. */
    about({ device = null, site = "" }) { this.#drafts.change(NEW_POST, { device, site }); }

    /** Sets the subject from an address; opening the same address again does not change it. */
    #subjectOf(route) {
        const [before, address] = [this.#address, JSON.stringify(route)];
        this.#address = address;
        if (address === before || route.device === undefined && route.site === undefined) return;
        // A draft that was sent before the page was closed keeps its subject.
        if (before !== null || this.draft(NEW_POST).requestId === null) this.about(route);
    }

    /** @param {string} requestId A new ID; a retry of the same text uses its earlier ID instead. */
    sendAsked(number, requestId) {
        const draft = this.canWrite ? this.#drafts.begin(number, requestId) : null;
        if (draft === null) return;
        const { title, body, device, site, requestId: id } = draft;
        this.#do(number === NEW_POST
            ? { do: "writePost", requestId: id, title, body, device, site }
            : { do: "writeComment", number, requestId: id, body });
    }

    postWritten(requestId, post, now) {
        this.#drafts.finish(NEW_POST, requestId);
        const isNew = this.post(post.id) === undefined;
        this.#replacePost(post);
        if (isNew) this.total += 1;
        this.#notices.add("good", post.title, "Posted", now);
        this.store();
    }

    commentWritten(requestId, comment) {
        this.#drafts.finish(comment.postId, requestId);
        const known = this.#comments.get(comment.postId);
        if (known !== undefined && !known.some((one) => one.id === comment.id)) {
            this.#comments.set(comment.postId, [...known, comment]);
            const post = this.post(comment.postId);
            if (post !== undefined) this.#replacePost({ ...post, commentCount: known.length + 1 });
        }
        this.#outdated = comment.postId;
        if (comment.postId === this.shown) {
            this.isOpen = true;
            this.read();
        }
        this.store();
    }

    sendFailed(number, requestId, message, isLost, reusesId = isLost) {
        this.#drafts.fail(number, requestId, message, isLost, reusesId);
        this.#storeDrafts();
    }

    draftChangedElsewhere({ number, before, after }) { this.#drafts.changedElsewhere(number, before, after); }

    /** Stores the logbook, to be shown without a connection. */
    store() {
        this.#storeDrafts();
        if (!this.hasList || this.#connection.session === null) return;
        this.#do({ do: "storeService", service: "logbook" });
    }

    /** The data to store: the newest posts and the last opened comments, within the limit. */
    dataToStore() {
        let budget = CHARACTERS_STORED;
        const fits = (...texts) => (budget -= texts.reduce((sum, text) => sum + text.length, 200)) >= 0;
        const posts = this.posts.slice(0, POSTS_STORED).filter((post) => fits(post.title, post.body));
        const comments = [...this.#comments].slice(-OPENED_STORED).reverse()
            .filter(([, all]) => fits(...all.map((one) => one.body))).reverse();
        return { posts, total: this.total, at: this.asOf, comments };
    }

    /** Drafts are stored only while the user is known. */
    #storeDrafts() {
        if (this.#connection.session !== null) this.#drafts.store();
    }

    #ask(before) {
        if (this.isListing || !this.#connection.isLive) return;
        this.isListing = true;
        this.#do({ do: "posts", before });
    }

    #replacePost(post) {
        const others = this.posts.filter((one) => one.id !== post.id);
        this.posts = [...others, post].sort((one, other) => other.id - one.id);
    }
}
