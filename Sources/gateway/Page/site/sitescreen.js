// The screen of one site.

import {
    drawFacts, element, quietLink, setAttribute, setChildren, setText, showText,
} from "../common/dom.js";
import { ScreenBar } from "../common/screenbar.js";
import { DEVICE } from "../device/address.js";
import { cleaned } from "./cleanhtml.js";
import { WorldMap } from "./worldmap.js";

export class SiteScreen {
    #name = element("bdi");
    #bar;
    #write = quietLink("Add a note", "logbook");
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
        drawFacts(this.#facts, view.facts);
        showText(this.#noDescription, view.noDescription);
        this.#drawDescription(view.description);
        this.#map.draw(view.map);
        showText(this.#devicesText, view.devicesText);
        this.#drawDevices(view.devices);
    }

    #drawDescription(html) {
        this.#description.hidden = html.trim() === "";
        setChildren(this.#description, html, () => [cleaned(html)]);
    }

    #drawDevices(devices) {
        setChildren(this.#devices, devices.map((one) => one.id).join(" "), () =>
            devices.map(({ id }) => element("li", {},
                element("a", { class: "about", href: DEVICE.hashOf({ id }) }, element("bdi")),
                element("span", { class: "kind" }))));
        devices.forEach((one, index) => {
            const [link, state] = this.#devices.children[index].children;
            setText(link.firstChild, one.name);
            showText(state, one.line);
        });
    }
}
