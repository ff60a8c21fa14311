// How far the page is connected: a word that is always on screen, and a line where there is more to say.

import { element, setAttribute, setText, showText } from "./dom.js";

export class ConnectionStatus {
    #word = element("span");
    pill = element("span", { class: "pill", role: "status" }, element("span", { class: "dot" }), this.#word);
    banner = element("p", { class: "banner" });

    /** @param {{tone, text, detail}} view */
    draw({ tone, text, detail }) {
        setAttribute(this.pill, "data-tone", tone);
        setText(this.#word, text);
        setAttribute(this.banner, "data-tone", tone);
        showText(this.banner, detail);
    }
}
