// The screen with the list of devices.

import { element, icon, quietButton, quietLink, setAttribute, setText, showText } from "../common/dom.js";
import { ConnectionStatus } from "../common/status.js";
import { LONGEST_CONDITION } from "../fleet/filter.js";
import { ROSTER } from "../duty/address.js";
import { Duty } from "../duty/duty.js";
import { QueueCard } from "../queue/queuecard.js";
import { PullToRefresh } from "./pull.js";
import { Rows } from "./rows.js";

/** Texts to type, each followed by a separator. */
function examples(texts) {
    return texts.flatMap((text) => [element("kbd", {}, text), " "]);
}

export class ListScreen {
    #status = new ConnectionStatus();
    #account = element("bdi", { class: "account" });
    #search = element("input", {
        type: "search", class: "search", placeholder: "Search or filter, e.g. offline",
        "aria-label": "Filter by name, ID or condition", "aria-describedby": "filter-help filter-problem",
        spellcheck: "false", autocapitalize: "none", maxlength: LONGEST_CONDITION, enterkeyhint: "search",
    });
    #filterHelp = element("p", { class: "filter-help", id: "filter-help" },
        "A name or ID, ", ...examples(["bedroom*", "site:Home"]), "or a condition: ",
        ...examples(["offline", "temperature > 26", "on and not site:Home"]));
    #filterProblem = element("p", { class: "filter-problem", id: "filter-problem", role: "status" });
    #duty;
    #refresh = quietButton("Refresh", "refresh");
    #leave = quietButton("Log out", "leave");
    #summary = element("p", { class: "summary", "aria-live": "off" });
    #hint = element("p", { class: "banner", "data-tone": "busy" });
    #nothing = element("p", { class: "nothing" });
    #title = element("h1", { tabindex: "-1" }, "Devices");
    #queue;
    #rows;
    #pull;
    #scroll = 0;
    #opened = null;
    element;

    /**
     * @param {{toggle(id), refresh(), logOut(), filter(text), choose(device), send(device),
     *     steer(kind)}} does
     * @param {import("../common/times.js").Times} times
     * @param {{href, label, icon}[]} entries The links to other screens.
     */
    constructor(does, times, entries) {
        const links = entries.map(({ href, label, icon: picture }) => quietLink(label, picture, { href }));
        this.#duty = new Duty(times, ROSTER.hashOf());
        this.#rows = new Rows(does.toggle);
        this.#pull = new PullToRefresh(does.refresh);
        this.#queue = new QueueCard(does);
        this.element = element("main", { class: "screen list-screen" },
            element("header", { class: "bar" },
                element("div", { class: "bar-line" }, this.#title, this.#account, this.#status.pill,
                    ...links, this.#refresh, this.#leave),
                element("div", { class: "search-line" }, icon("search"), this.#search, this.#filterHelp),
                this.#filterProblem),
            this.#pull.element, this.#status.bulletin, this.#duty.element, this.#status.banner, this.#hint,
            this.#queue.element, this.#summary, this.#nothing, this.#rows.element);
        this.#refresh.addEventListener("click", does.refresh);
        this.#leave.addEventListener("click", does.logOut);
        this.#search.addEventListener("input", () => {
            window.scrollTo(0, 0);
            does.filter(this.#search.value);
        });
        this.element.addEventListener("click", (event) => {
            const link = event.target.closest("a.row-link");
            if (link !== null) this.#opened = link.hash;
        });
        this.element.addEventListener("keydown", (event) => this.#press(event, does));
    }

    get first() { return this.#title; }

    draw(view, now) {
        this.#status.draw(view.connection);
        this.#duty.draw(view.duty, now);
        setText(this.#account, view.account);
        setText(this.#summary, view.summary);
        showText(this.#hint, view.hint);
        showText(this.#nothing, view.nothing);
        showText(this.#filterProblem, view.filterProblem);
        setAttribute(this.#search, "aria-invalid", view.filterProblem === "" ? null : "true");
        this.#refresh.disabled = !view.canRefresh && !view.isRefreshing;
        this.#refresh.setAttribute("aria-busy", view.isRefreshing);
        this.#pull.draw(view.isRefreshing);
        if (this.#search.value !== view.filter && document.activeElement !== this.#search) {
            this.#search.value = view.filter;
        }
        this.#queue.draw(view.queue);
        this.#rows.draw(view.ids, view.row);
    }

    /** Another screen is shown; this one stores its scroll position. */
    leave() { this.#scroll = window.scrollY; }

    /** The screen is shown again: at its former scroll position, with the focus on the opened row. */
    returned() {
        window.scrollTo(0, this.#scroll);
        if (this.#opened === null) return false;
        const id = this.#opened.split("/").at(-1);
        this.#opened = null;
        this.#rows.focus(id);
        return true;
    }

    #press(event, does) {
        if (event.key === "Escape" && event.target === this.#search && this.#search.value !== "") {
            this.#search.value = "";
            does.filter("");
        }
        if (event.key !== "ArrowDown" || event.target !== this.#search) return;
        event.preventDefault();
        this.#rows.focusFirst();
    }

    search() { this.#search.focus(); }
}
