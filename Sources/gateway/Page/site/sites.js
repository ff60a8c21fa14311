// The account's sites: loaded pages and opened sites. Pure: times are parameters, effects are results.

export const PAGE_SIZE = 50;
/** The maximum numbers of stored pages and of stored sites. */
const PAGES_STORED = 20;
export const OPENED_STORED = 50;
/** The maximum number of stored characters; older data is dropped. */
export const CHARACTERS_STORED = 500_000;

/** @typedef {"idle" | "loading" | "lost" | "unreadable" | "failed" | "refused" | "missing"} Fetching
 *     The state of a fetch: `lost` means no answer, `failed` an error of the gateway,
 *     `refused` any other status than success. */

export class Sites {
    /** The number of all sites, loaded or not. */
    total = 0;
    /** Whether a page is loaded, which may be empty. */
    hasList = false;
    /** When a page was last loaded, in milliseconds since 1970. */
    asOf = 0;
    /** The shown page, from 1; null for none. */
    page = null;
    /** @type {Fetching} The state of fetching it. */
    listing = "idle";
    listError = "";
    /** The ID of the shown site; null for none. */
    shown = null;
    /** @type {Fetching} The state of fetching it. */
    fetching = "idle";
    fetchError = "";

    #connection;
    #do;
    /** @type {Map<number, object[]>} The pages, the last loaded one last. */
    #pages = new Map();
    /**
     * @type {Map<string, {site: import("./sitewire.js").Site, devices: {id, name}[]}>} The last opened one is
     *     last.
     */
    #opened = new Map();

    /**
     * @param {import("../common/connection.js").Connection} connection
     * @param {(effect: {do: string}) => void} perform Performs an effect.
     */
    constructor(connection, perform) {
        this.#connection = connection;
        this.#do = perform;
    }

    /** The number of pages, at least one. */
    get pages() { return Math.max(1, Math.ceil(this.total / PAGE_SIZE)); }

    /** The sites of the shown page; undefined if it is not loaded. */
    get rows() { return this.#pages.get(this.page); }

    /** A site as last loaded; undefined if it never was. */
    site(id) { return this.#opened.get(id); }

    /** A site in the loaded pages; undefined if none has it. */
    listed(id) { return [...this.#pages.values()].flat().find((one) => one.id === id); }

    restore({ at, total, pages, opened }) {
        Object.assign(this, { asOf: at, total, hasList: pages.length > 0 });
        this.#pages = new Map(pages);
        this.#opened = new Map(opened.map((one) => [one.site.id, one]));
    }

    /** The screen of that address is shown, or the connection is back. */
    opened(route) {
        const page = route.screen === "sites" ? route.page ?? 1 : null;
        if (page !== this.page) Object.assign(this, { page, listing: "idle", listError: "" });
        if (page !== null) this.list();
        const shown = route.screen === "site" ? route.id : null;
        if (shown !== this.shown) Object.assign(this, { shown, fetching: "idle", fetchError: "" });
        if (shown !== null) this.read();
    }

    list() {
        if (this.page === null || this.listing === "loading" || !this.#connection.isLive) return;
        this.listing = "loading";
        this.#do({ do: "sites", page: this.page });
    }

    /** @param {{page: number, sites: object[], total: number}} list */
    pageCame({ page, sites, total }, now) {
        if (page === this.page) Object.assign(this, { listing: "idle", listError: "" });
        // Pages after the last one no longer exist.
        for (const known of [...this.#pages.keys()]) {
            if ((known - 1) * PAGE_SIZE >= total) this.#pages.delete(known);
        }
        this.#pages.delete(page);
        this.#pages.set(page, sites);
        Object.assign(this, { total, hasList: true, asOf: now });
        this.store();
    }

    /** @param {Fetching} what */
    listFailed(page, what, message) {
        if (page === this.page) Object.assign(this, { listing: what, listError: message });
    }

    read() {
        if (this.shown === null || this.fetching === "loading" || !this.#connection.isLive) return;
        this.fetching = "loading";
        this.#do({ do: "site", id: this.shown });
    }

    fetched({ site, devices }, now) {
        if (site.id === this.shown) Object.assign(this, { fetching: "idle", fetchError: "" });
        this.#opened.delete(site.id);
        this.#opened.set(site.id, { site, devices, at: now });
        this.store();
    }

    /** @param {Fetching} what */
    fetchFailed(id, what, message) {
        if (what === "missing") this.#opened.delete(id);
        if (id === this.shown) Object.assign(this, { fetching: what, fetchError: message });
    }

    /** Stores the sites, to be shown without a connection. */
    store() {
        const isSomething = this.hasList || this.#opened.size > 0;
        if (!isSomething || this.#connection.session === null) return;
        this.#do({ do: "storeService", service: "sites" });
    }

    /** The data to store: the last loaded pages and sites, within the limit. */
    dataToStore() {
        let budget = CHARACTERS_STORED;
        const fits = (value) => (budget -= JSON.stringify(value).length) >= 0;
        const pages = [...this.#pages].slice(-PAGES_STORED).reverse().filter(fits).reverse();
        const opened = [...this.#opened.values()].slice(-OPENED_STORED).reverse().filter(fits).reverse();
        return { at: this.asOf, total: this.total, pages, opened };
    }
}
