// The screen with a page of the sites.

import { element, icon, quietButton, setAttribute, setText, showText } from "../common/dom.js";
import { hashOf } from "../app/route.js";
import { ConnectionStatus } from "../app/status.js";

export class SitesScreen {
    name = "sites";
    #status = new ConnectionStatus();
    #title = element("h1", { tabindex: "-1" }, "Sites");
    #back = element(
        "a", { class: "quiet", href: "#/", "aria-label": "Back to devices", title: "Back to devices" },
        icon("back"));
    #refresh = quietButton("Refresh", "refresh");
    #summary = element("p", { class: "summary" });
    #error = element("p", { class: "banner", "data-tone": "bad", role: "status" });
    #nothing = element("p", { class: "nothing" });
    #rows = element("ol", { class: "posts sites" });
    #before = element("a", { class: "secondary", rel: "prev" }, "Previous");
    #page = element("span");
    #after = element("a", { class: "secondary", rel: "next" }, "Next");
    #pages = element("nav", { class: "pages", "aria-label": "Pages" }, this.#before, this.#page, this.#after);
    #drawn = "";
    #scroll = 0;
    #opened = null;
    element;

    /** @param {{refresh(), back(event)}} does The handlers of the user's actions. */
    constructor(does) {
        this.element = element("main", { class: "screen sites-screen" },
            element("header", { class: "bar" },
                element("div", { class: "bar-line" }, this.#back, this.#title, this.#status.pill,
                    this.#refresh)),
            this.#status.bulletin, this.#status.banner, this.#error, this.#summary, this.#nothing, this.#rows,
            this.#pages);
        this.#refresh.addEventListener("click", does.refresh);
        this.#back.addEventListener("click", does.back);
        this.#rows.addEventListener("click", (event) => {
            const link = event.target.closest("a");
            if (link !== null) this.#opened = link.hash;
        });
    }

    get first() { return this.#title; }

    draw(view) {
        this.#status.draw(view.connection);
        showText(this.#error, view.error);
        showText(this.#summary, view.summary);
        showText(this.#nothing, view.nothing);
        this.#refresh.disabled = !view.canRefresh;
        this.#refresh.setAttribute("aria-busy", view.isRefreshing);
        this.#pages.hidden = view.page === "";
        setText(this.#page, view.page);
        for (const [link, href] of [[this.#before, view.before], [this.#after, view.after]]) {
            setAttribute(link, "href", href);
            setAttribute(link, "aria-disabled", href === null ? "true" : null);
        }
        this.#drawRows(view.rows);
    }

    leave() { this.#scroll = window.scrollY; }

    /** The screen is shown again: at its former scroll position, with the focus on the opened site. */
    returned() {
        window.scrollTo(0, this.#scroll);
        const link = [...this.#rows.querySelectorAll("a")].find((one) => one.hash === this.#opened);
        this.#opened = null;
        link?.focus({ preventScroll: true });
        return link !== undefined;
    }

    /** Rows are recreated only if the sites change, so that the focus is kept. */
    #drawRows(rows) {
        this.#rows.hidden = rows.length === 0;
        const keys = rows.map((row) => row.id).join(" ");
        if (keys !== this.#drawn) {
            this.#drawn = keys;
            const had = document.activeElement?.hash;
            this.#rows.replaceChildren(...rows.map(rowElement));
            const link = [...this.#rows.querySelectorAll("a")].find((one) => one.hash === had);
            link?.focus({ preventScroll: true });
        }
        rows.forEach((row, index) => {
            const [link, line, devices] = this.#rows.children[index].children;
            setText(link.firstChild, row.name);
            setText(line.firstChild, row.line);
            setText(devices, row.devices);
        });
    }
}

function rowElement({ id }) {
    return element("li", { class: "post-row" },
        element("a", { class: "post-link", href: hashOf({ screen: "site", id }) },
            element("bdi", { class: "post-title" })),
        element("p", { class: "line" }, element("bdi")),
        element("span", { class: "post-comments" }));
}
