// The screen with the posts of the logbook.

import { element, icon, quietButton, setText, showText } from "../common/dom.js";
import { hashOf } from "../app/route.js";
import { ConnectionStatus } from "../app/status.js";
import { Writing } from "./writing.js";

export class LogbookScreen {
    name = "logbook";
    #status = new ConnectionStatus();
    #title = element("h1", { tabindex: "-1" }, "Logbook");
    #back = element(
        "a", { class: "quiet", href: "#/", "aria-label": "Back to devices", title: "Back to devices" },
        icon("back"));
    #refresh = quietButton("Refresh", "refresh");
    #summary = element("p", { class: "summary" });
    #error = element("p", { class: "banner", "data-tone": "bad" });
    #nothing = element("p", { class: "nothing" });
    #rows = element("ol", { class: "posts" });
    #older = element("button", { type: "button", class: "secondary older" }, "Older posts");
    #writing;
    #drawn = "";
    #scroll = 0;
    #opened = null;
    element;

    /**
     * @param {{refresh(), older(), typed(texts), sent(), dropped(), back(event)}} does The handlers of the
     *     user's actions.
     */
    constructor(does) {
        this.#writing = new Writing("post", does);
        this.element = element("main", { class: "screen logbook-screen" },
            element("header", { class: "bar" },
                element("div", { class: "bar-line" }, this.#back, this.#title, this.#status.pill,
                    this.#refresh)),
            this.#status.bulletin, this.#status.banner, this.#error, this.#writing.element, this.#summary,
            this.#nothing, this.#rows, this.#older);
        this.#refresh.addEventListener("click", does.refresh);
        this.#older.addEventListener("click", does.older);
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
        this.#older.hidden = !view.hasOlder;
        this.#older.disabled = view.isRefreshing;
        this.#writing.draw(view.form);
        this.#drawRows(view.rows);
    }

    leave() { this.#scroll = window.scrollY; }

    /** The screen is shown again: at its former scroll position, with the focus on the opened post. */
    returned() {
        window.scrollTo(0, this.#scroll);
        const link = [...this.#rows.querySelectorAll("a")].find((one) => one.hash === this.#opened);
        this.#opened = null;
        link?.focus({ preventScroll: true });
        return link !== undefined;
    }

    /** Rows are recreated only if the posts change, so that the focus is kept. */
    #drawRows(rows) {
        this.#rows.hidden = rows.length === 0;
        const keys = rows.map((row) => row.number).join(" ");
        if (keys !== this.#drawn) {
            this.#drawn = keys;
            const had = document.activeElement?.hash;
            this.#rows.replaceChildren(...rows.map(rowElement));
            const link = [...this.#rows.querySelectorAll("a")].find((one) => one.hash === had);
            link?.focus({ preventScroll: true });
        }
        rows.forEach((row, index) => {
            const [link, line, comments] = this.#rows.children[index].children;
            setText(link.firstChild, row.title);
            setText(line.firstChild, row.author);
            setText(line.lastChild, row.line);
            setText(comments, row.comments);
        });
    }
}

function rowElement({ number }) {
    return element("li", { class: "post-row" },
        element("a", { class: "post-link", href: hashOf({ screen: "post", number }) },
            element("bdi", { class: "post-title" })),
        element("p", { class: "line" }, element("bdi"), " · ", element("bdi")),
        element("span", { class: "post-comments" }));
}
