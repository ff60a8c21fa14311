// The base of the screens that list links to others: the logbook and the sites.

import { element, showText } from "./dom.js";
import { ALL_DEVICES, ScreenBar } from "./screenbar.js";

export class LinkScreen {
    #bar;
    #summary = element("p", { class: "summary" });
    #error = element("p", { class: "banner", "data-tone": "bad", role: "status" });
    #nothing = element("p", { class: "nothing" });
    #rows;
    #list;
    #drawn = "";
    #scroll = 0;
    #opened = null;
    element;

    /**
     * @param {string} title
     * @param {{refresh(), back(event)}} does The handlers of the user's actions.
     * @param {{kind, above, below}} parts The screen's class, and the elements above and below the list.
     * @param {{kind, keyOf(row), element(row), fill(parts, row)}} rows The class of the list, the
     *     key and the elements of a row, and how their texts are set.
     */
    constructor(title, does, { kind, above = [], below }, rows) {
        this.#bar = new ScreenBar(ALL_DEVICES, title, does);
        this.#rows = rows;
        this.#list = element("ol", { class: rows.kind });
        this.element = element("main", { class: `screen ${kind}` }, ...this.#bar.elements, this.#error,
            ...above, this.#summary, this.#nothing, this.#list, ...below);
        this.#list.addEventListener("click", (event) => {
            const link = event.target.closest("a");
            if (link !== null) this.#opened = link.hash;
        });
    }

    get first() { return this.#bar.title; }

    draw(view) {
        this.#bar.draw(view);
        showText(this.#error, view.error);
        showText(this.#summary, view.summary);
        showText(this.#nothing, view.nothing);
        this.#drawRows(view.rows);
    }

    leave() { this.#scroll = window.scrollY; }

    /** The screen is shown again: at its former scroll position, with the focus on the opened link. */
    returned() {
        window.scrollTo(0, this.#scroll);
        const link = this.#link(this.#opened);
        this.#opened = null;
        link?.focus({ preventScroll: true });
        return link !== undefined;
    }

    /** Rows are recreated only if their keys change, so that the focus is kept. */
    #drawRows(rows) {
        this.#list.hidden = rows.length === 0;
        const keys = rows.map(this.#rows.keyOf).join(" ");
        if (keys !== this.#drawn) {
            this.#drawn = keys;
            const had = document.activeElement?.hash;
            this.#list.replaceChildren(...rows.map(this.#rows.element));
            this.#link(had)?.focus({ preventScroll: true });
        }
        rows.forEach((row, index) => this.#rows.fill(this.#list.children[index].children, row));
    }

    #link(hash) { return [...this.#list.querySelectorAll("a")].find((one) => one.hash === hash); }
}
