// The state of the connection: a word that is always on the screen, and a line with details.

import { element, setAttribute, setText, showText } from "./dom.js";
import { grouped } from "./texts.js";

export class ConnectionStatus {
    #text = element("span");
    pill = element("span", { class: "pill" }, element("span", { class: "dot" }), this.#text);
    banner = element("p", { class: "banner" });
    /** The bulletin; screen readers skip it, because it is repeated. */
    bulletin = element("p", { class: "bulletin", "aria-live": "off" });
    #drawn = null;

    /** @param {{tone, text, detail, bulletin}} view */
    draw({ tone, text, detail, bulletin }) {
        this.#drawBulletin(bulletin);
        setAttribute(this.pill, "data-tone", tone);
        setText(this.#text, text);
        setAttribute(this.banner, "data-tone", tone);
        showText(this.banner, detail);
    }

    #drawBulletin(bulletin) {
        if (bulletin === this.#drawn) return;
        this.#drawn = bulletin;
        this.bulletin.classList.toggle("shown", bulletin !== null);
        if (bulletin === null) return;
        const changes = bulletin.changes.flatMap(({ name, what }, index) =>
            [index === 0 ? "" : ", ", element("bdi", {}, name), ` ${what}`]);
        const more = bulletin.more === 0 ? "" : ` and ${grouped(bulletin.more)} more`;
        const parts = changes.length === 0 ? ["no changes"] : changes;
        this.bulletin.replaceChildren(bulletin.text, " · ", ...parts, more);
    }
}
