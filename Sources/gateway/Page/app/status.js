// How far the page is connected: a word that is always on screen, and a line where there is more to say.

import { element, setAttribute, setText, showText } from "../common/dom.js";
import { grouped } from "../common/words.js";

export class ConnectionStatus {
    #word = element("span");
    pill = element("span", { class: "pill" }, element("span", { class: "dot" }), this.#word);
    banner = element("p", { class: "banner" });
    /** What is told every few seconds; nobody is to hear it over and over. */
    bulletin = element("p", { class: "bulletin", "aria-live": "off" });
    #told = null;

    /** @param {{tone, text, detail, bulletin}} view */
    draw({ tone, text, detail, bulletin }) {
        this.#tell(bulletin);
        setAttribute(this.pill, "data-tone", tone);
        setText(this.#word, text);
        setAttribute(this.banner, "data-tone", tone);
        showText(this.banner, detail);
    }

    #tell(bulletin) {
        if (bulletin === this.#told) return;
        this.#told = bulletin;
        this.bulletin.classList.toggle("shown", bulletin !== null);
        if (bulletin === null) return;
        const changes = bulletin.changes.flatMap(({ name, what }, index) =>
            [index === 0 ? "" : ", ", element("bdi", {}, name), ` ${what}`]);
        const more = bulletin.more === 0 ? "" : ` and ${grouped(bulletin.more)} more`;
        const news = changes.length === 0 ? ["no changes"] : changes;
        this.bulletin.replaceChildren(bulletin.text, " · ", ...news, more);
    }
}

/** What pops up about the connection; drawn over every screen. */
export class ConnectionPopup {
    #words = element("span");
    element = element("p", { class: "popup", role: "status" },
        element("span", { class: "dot", "aria-hidden": "true" }), this.#words);

    /** @param {{tone, text}} view */
    draw({ tone, text }) {
        setAttribute(this.element, "data-tone", tone);
        this.element.classList.toggle("shown", text !== "");
        setText(this.#words, text);
    }
}
