// The screen with a page of the sites.

import { element, setAttribute, setText } from "../common/dom.js";
import { LinkScreen } from "../common/linkscreen.js";
import { SITE } from "./address.js";

export class SitesScreen extends LinkScreen {
    #before;
    #page;
    #after;
    #pages;

    /** @param {{refresh(), back(event)}} does The handlers of the user's actions. */
    constructor(does) {
        const before = element("a", { class: "secondary", rel: "prev" }, "Previous");
        const page = element("span");
        const after = element("a", { class: "secondary", rel: "next" }, "Next");
        const pages = element("nav", { class: "pages", "aria-label": "Pages" }, before, page, after);
        super("Sites", does, { kind: "sites-screen", below: [pages] }, SITES);
        [this.#before, this.#page, this.#after, this.#pages] = [before, page, after, pages];
    }

    draw(view) {
        super.draw(view);
        this.#pages.hidden = view.page === "";
        setText(this.#page, view.page);
        for (const [link, href] of [[this.#before, view.before], [this.#after, view.after]]) {
            setAttribute(link, "href", href);
            setAttribute(link, "aria-disabled", href === null ? "true" : null);
        }
    }
}

const SITES = {
    kind: "posts sites",
    keyOf: ({ id }) => id,
    element: ({ id }) => element("li", { class: "post-row" },
        element("a", { class: "post-link", href: SITE.hashOf({ id }) },
            element("bdi", { class: "post-title" })),
        element("p", { class: "line" }, element("bdi")),
        element("span", { class: "post-comments" })),
    fill: ([link, line, devices], row) => {
        setText(link.firstChild, row.name);
        setText(line.firstChild, row.line);
        setText(devices, row.devices);
    },
};
