// The account's sites: the pages that were listed, and the sites that were opened. Pure: times are handed in,
// effects come out.

/** Sites on a page. */
export const PAGE_SIZE = 50;
/** Pages of the list, and sites that were opened, that are kept for a time without a connection. */
export const PAGES_KEPT = 20;
export const OPENED_KEPT = 50;
/** Characters of texts that are kept; what is older goes. */
export const CHARACTERS_KEPT = 500_000;

/** @typedef {"idle" | "loading" | "lost" | "unreadable" | "failed" | "refused" | "missing"} Fetching
 *     The state of a fetch: `lost` means no answer, `failed` an error of the gateway,
 *     `refused` any other status than success. */

export class Sites {
    /** How many there are altogether, here or not. */
    total = 0;
    /** Whether a page is here, be it empty. */
    hasList = false;
    /** When one was last known to be right, in milliseconds since 1970. */
    asOf = 0;
    /** The page that is shown, from 1; null where none is. */
    page = null;
    /** @type {Fetching} What became of fetching it. */
    listing = "idle";
    listWords = "";
    /** The site that is shown; null where none is. */
    shown = null;
    /** @type {Fetching} What became of fetching it. */
    fetching = "idle";
    fetchWords = "";

    #connection;
    #do;
    /** @type {Map<number, object[]>} The one that was listed last at the end. */
    #pages = new Map();
    /** @type {Map<string, {site: import("./sitewire.js").Site, devices: {id, name}[]}>} As the pages. */
    #opened = new Map();

    /**
     * @param {import("../app/connection.js").Connection} connection
     * @param {(effect: import("../app/model.js").Effect) => void} perform Takes each effect.
     */
    constructor(connection, perform) {
        this.#connection = connection;
        this.#do = perform;
    }

    /** How many pages there are: one at least. */
    get pages() { return Math.max(1, Math.ceil(this.total / PAGE_SIZE)); }

    /** The sites of the page that is shown; undefined where it is not here. */
    get rows() { return this.#pages.get(this.page); }

    /** A site as it was opened last; undefined where it never was. */
    site(id) { return this.#opened.get(id); }

    /** What a list says of a site; undefined where none here does. */
    listed(id) {
        for (const rows of this.#pages.values()) {
            const row = rows.find((one) => one.id === id);
            if (row !== undefined) return row;
        }
        return undefined;
    }

    /** What was kept from another time. */
    recall({ at, total, pages, opened }) {
        Object.assign(this, { asOf: at, total, hasList: pages.length > 0 });
        this.#pages = new Map(pages);
        this.#opened = new Map(opened.map((one) => [one.site.id, one]));
    }

    /** The screen of that address is shown, or comes back to a connection. */
    opened(route) {
        const page = route.screen === "sites" ? route.page ?? 1 : null;
        if (page !== this.page) Object.assign(this, { page, listing: "idle", listWords: "" });
        if (page !== null) this.list();
        const shown = route.screen === "site" ? route.id : null;
        if (shown !== this.shown) Object.assign(this, { shown, fetching: "idle", fetchWords: "" });
        if (shown !== null) this.read();
    }

    /** Wants the page that is shown. */
    list() {
        if (this.page === null || this.listing === "loading" || !this.#connection.isLive) return;
        this.listing = "loading";
        this.#do({ do: "sites", page: this.page });
    }

    /** @param {{page: number, sites: object[], total: number}} list */
    pageCame({ page, sites, total }, now) {
        if (page === this.page) Object.assign(this, { listing: "idle", listWords: "" });
        // What is behind the last page is there no more.
        for (const known of [...this.#pages.keys()]) {
            if ((known - 1) * PAGE_SIZE >= total) this.#pages.delete(known);
        }
        this.#pages.delete(page);
        this.#pages.set(page, sites);
        Object.assign(this, { total, hasList: true, asOf: now });
        this.keep();
    }

    /** @param {Fetching} what */
    listFailed(page, what, words) {
        if (page === this.page) Object.assign(this, { listing: what, listWords: words });
    }

    /** Wants the site that is shown. */
    read() {
        if (this.shown === null || this.fetching === "loading" || !this.#connection.isLive) return;
        this.fetching = "loading";
        this.#do({ do: "site", id: this.shown });
    }

    fetched({ site, devices }, now) {
        if (site.id === this.shown) Object.assign(this, { fetching: "idle", fetchWords: "" });
        this.#opened.delete(site.id);
        this.#opened.set(site.id, { site, devices, at: now });
        this.keep();
    }

    /** @param {Fetching} what */
    fetchFailed(id, what, words) {
        if (what === "missing") this.#opened.delete(id);
        if (id === this.shown) Object.assign(this, { fetching: what, fetchWords: words });
    }

    /** Has it kept for a time without a connection. */
    keep() {
        const isSomething = this.hasList || this.#opened.size > 0;
        if (isSomething && this.#connection.session !== null) this.#do({ do: "keepRoom", room: "sites" });
    }

    /** What is to be kept: what was listed and opened last, as far as there is room. */
    kept() {
        let room = CHARACTERS_KEPT;
        const fits = (value) => (room -= JSON.stringify(value).length) >= 0;
        const pages = [...this.#pages].slice(-PAGES_KEPT).reverse().filter(fits).reverse();
        const opened = [...this.#opened.values()].slice(-OPENED_KEPT).reverse().filter(fits).reverse();
        return { at: this.asOf, total: this.total, pages, opened };
    }
}
