// The bar of a screen below the list of devices: the link back, the title and the state of the connection.

import { element, quietButton, quietLink } from "./dom.js";
import { ConnectionStatus } from "./status.js";

export class ScreenBar {
    #status = new ConnectionStatus();
    #refresh = quietButton("Refresh", "refresh");
    title;
    /** The first elements of a screen: the bar, and the lines about the connection. */
    elements;

    /**
     * @param {{href, label}} target The screen of the link back.
     * @param {Node | string} title
     * @param {{back(event), refresh?()}} does The handlers; without `refresh` the bar
     *     has no such button.
     * @param {...Node} others Further links at the end of the bar.
     */
    constructor({ href, label }, title, does, ...others) {
        this.title = element("h1", { tabindex: "-1" }, title);
        const back = quietLink(label, "back", { href });
        const buttons = does.refresh === undefined ? others : [...others, this.#refresh];
        this.elements = [
            element("header", { class: "bar" },
                element("div", { class: "bar-line" }, back, this.title, this.#status.pill, ...buttons)),
            this.#status.bulletin, this.#status.banner,
        ];
        back.addEventListener("click", does.back);
        this.#refresh.addEventListener("click", () => does.refresh());
    }

    /** @param {{connection, canRefresh, isRefreshing}} view */
    draw({ connection, canRefresh, isRefreshing }) {
        this.#status.draw(connection);
        this.#refresh.disabled = !canRefresh;
        this.#refresh.setAttribute("aria-busy", isRefreshing);
    }
}

/** The target of most links back: the screen with all devices. */
export const ALL_DEVICES = { href: "#/", label: "Back to devices" };
