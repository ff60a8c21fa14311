// The screen of one site.

import { element, icon, setAttribute, setText, showText } from "../common/dom.js";
import { ScreenBar } from "../common/screenbar.js";
import { DEVICE } from "../device/address.js";
import { cleaned } from "./cleanhtml.js";
import { WorldMap } from "./worldmap.js";

export class SiteScreen {
    #name = element("bdi");
    #bar;
    #write = element("a", { class: "quiet", "aria-label": "Add a note", title: "Add a note" },
        icon("logbook"));
    #error = element("p", { class: "banner", "data-tone": "bad", role: "status" });
    #facts = element("dl", { class: "facts" });
    #description = element("div", { class: "description", dir: "auto" });
    #noDescription = element("p", { class: "nothing" });
    #map = new WorldMap();
    #devices = element("ol", { class: "entries" });
    #devicesText = element("p", { class: "nothing" });
    #body = element("div", { class: "device" },
        element("section", { class: "card" }, element("h2", {}, "Details"), this.#facts),
        element("section", { class: "card" }, element("h2", {}, "Description"), this.#noDescription,
            this.#description),
        element("section", { class: "card" }, element("h2", {}, "On the map"), this.#map.element),
        element("section", { class: "card" }, element("h2", {}, "Devices"), this.#devicesText,
            this.#devices));
    #missing = element("p", { class: "nothing", role: "status" });
    #drawn = { html: null, facts: "", devices: "" };
    element;

    /** @param {{refresh(), back(event)}} does The handlers of the user's actions. */
    constructor(does) {
        this.#bar = new ScreenBar({ href: "#/sites", label: "Sites" }, this.#name, does, this.#write);
        this.element = element("main", { class: "screen site-screen" },
            ...this.#bar.elements, this.#error, this.#missing, this.#body);
    }

    get first() { return this.#bar.title; }

    draw(view) {
        this.#bar.draw(view);
        this.#body.hidden = !view.isKnown;
        this.#write.hidden = !view.isKnown || view.writeHref === null;
        setText(this.#name, view.name);
        showText(this.#error, view.error);
        showText(this.#missing, view.isKnown ? "" : view.text);
        if (!view.isKnown) return;
        setAttribute(this.#write, "href", view.writeHref);
        this.#drawFacts(view.facts);
        showText(this.#noDescription, view.noDescription);
        this.#drawDescription(view.description);
        this.#map.draw(view.map);
        showText(this.#devicesText, view.devicesText);
        this.#drawDevices(view.devices);
    }

    #drawFacts(facts) {
        const drawn = JSON.stringify(facts);
        if (drawn === this.#drawn.facts) return;
        this.#drawn.facts = drawn;
        this.#facts.replaceChildren(...facts.map(([title, text]) =>
            element("div", {}, element("dt", {}, title), element("dd", {}, element("bdi", {}, text)))));
    }

    #drawDescription(html) {
        if (html === this.#drawn.html) return;
        this.#description.hidden = html.trim() === "";
        this.#description.replaceChildren(cleaned(html));
        this.#drawn.html = html;
    }

    /** Rows are recreated only if the devices change, so that the focus is kept. */
    #drawDevices(devices) {
        const keys = devices.map((one) => one.id).join(" ");
        if (keys !== this.#drawn.devices) {
            this.#drawn.devices = keys;
            this.#devices.replaceChildren(...devices.map(({ id }) => element("li", {},
                element("a", { class: "about", href: DEVICE.hashOf({ id }) }, element("bdi")),
                element("span", { class: "kind" }))));
        }
        devices.forEach((one, index) => {
            const [link, state] = this.#devices.children[index].children;
            setText(link.firstChild, one.name);
            showText(state, one.line);
        });
    }
}
