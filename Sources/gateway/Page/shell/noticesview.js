// Draws the notices, which screen readers announce, and the popup about the connection.

import { element, quietButton, setAttribute, setText } from "../common/dom.js";

/** Milliseconds of the animation of a removed notice; the style sheet has the same. */
const LEAVING = 220;

export class NoticesView {
    element = element("div", { class: "notices" });
    #polite = element("div", { role: "status", "aria-live": "polite" });
    #urgent = element("div", { role: "alert", "aria-live": "assertive" });
    /** @type {Map<number, HTMLElement>} */
    #drawn = new Map();
    #dismiss;

    /** @param {(id: number) => void} dismiss Called when a notice is closed. */
    constructor(dismiss) {
        this.#dismiss = dismiss;
        this.element.append(this.#polite, this.#urgent);
    }

    /** @param {import("../common/notices.js").Notice[]} notices */
    draw(notices) {
        const wanted = new Set(notices.map((notice) => notice.id));
        for (const [id, node] of this.#drawn) {
            if (wanted.has(id)) continue;
            this.#drawn.delete(id);
            node.classList.add("leaves");
            node.inert = true;
            setTimeout(() => node.remove(), LEAVING);
        }
        for (const notice of notices) if (!this.#drawn.has(notice.id)) this.#add(notice);
    }

    #add({ id, tone, title, text }) {
        const close = quietButton("Close", "close");
        close.addEventListener("click", () => this.#dismiss(id));
        const texts = element("p", {},
            element("bdi", { class: "notice-title" }, title), element("bdi", {}, text));
        setAttribute(texts.firstChild, "hidden", title === "" ? "" : null);
        const node = element("div", { class: "notice", "data-tone": tone }, texts, close);
        this.#drawn.set(id, node);
        (tone === "bad" ? this.#urgent : this.#polite).append(node);
    }
}

/** The popup about the connection, drawn over all screens. */
export class ConnectionPopup {
    #text = element("span");
    element = element("p", { class: "popup", role: "status" },
        element("span", { class: "dot", "aria-hidden": "true" }), this.#text);

    /** @param {{tone, text}} view */
    draw({ tone, text }) {
        setAttribute(this.element, "data-tone", tone);
        this.element.classList.toggle("shown", text !== "");
        setText(this.#text, text);
    }
}
