// The screen of one device.

import {
    drawFacts, element, icon, name, quietLink, setAttribute, setChildren, setIcon, setText, showText,
} from "../common/dom.js";
import { ALL_DEVICES, ScreenBar } from "../common/screenbar.js";
import { PowerSwitch } from "../fleet/power.js";
import { Chart } from "./chart.js";

export class DeviceScreen {
    #name = name();
    #bar;
    #write = quietLink("Add a note", "logbook");
    #icon = icon("auto");
    #tile = element("span", { class: "tile large" }, this.#icon);
    #temperature = element("p", { class: "room" });
    #state = element("p", { class: "state" });
    #power;
    #waiting = element("span");
    #cancel = element("button", { type: "button", class: "secondary" }, "Cancel");
    #pending = element("div", { class: "pending-bar", role: "status" },
        element("span", { class: "spinner", "aria-hidden": "true" }), this.#waiting, this.#cancel);
    #facts = element("dl", { class: "facts" });
    #chart;
    #entries = element("ol", { class: "entries" });
    #noEntries = element("p", { class: "nothing" });
    #body;
    #missing = element("p", { class: "nothing" });
    #times;
    element;

    /**
     * @param {{toggle(), cancel(), back(event)}} does The handlers of the user's actions.
     * @param {import("../common/times.js").Times} times In the user's time zone.
     */
    constructor(does, times) {
        this.#times = times;
        this.#bar = new ScreenBar(ALL_DEVICES, this.#name, does, this.#write);
        this.#power = new PowerSwitch(does.toggle);
        this.#power.element.classList.add("large");
        this.#chart = new Chart(times);
        this.#body = element("div", { class: "device" },
            element("section", { class: "card now" }, this.#tile,
                element("div", { class: "now-text" }, this.#temperature, this.#state), this.#power.element,
                this.#pending),
            element("section", { class: "card" }, element("h2", {}, "Temperature"), this.#chart.element),
            element("section", { class: "card" }, element("h2", {}, "Details"), this.#facts),
            element("section", { class: "card" }, element("h2", {}, "History"), this.#noEntries,
                this.#entries));
        this.element = element("main", { class: "screen device-screen" },
            ...this.#bar.elements, this.#missing, this.#body);
        this.#cancel.addEventListener("click", does.cancel);
    }

    get first() { return this.#bar.title; }

    draw(view, now) {
        this.#bar.draw(view);
        this.#body.hidden = !view.isKnown;
        showText(this.#missing, view.isKnown ? "" : view.text);
        setText(this.#name, view.isKnown ? view.name : view.id);
        this.#write.hidden = !view.isKnown || view.writeHref === null;
        if (!view.isKnown) return;
        setAttribute(this.#write, "href", view.writeHref);
        setAttribute(this.#body, "data-tone", view.tone);
        setIcon(this.#icon, view.mode);
        setAttribute(this.#tile, "data-mode", view.tone === "on" ? view.mode : null);
        setText(this.#temperature, view.temperature);
        setText(this.#state, view.state);
        this.#power.draw(view.power, view.name);
        this.#drawCancel(view.cancel);
        drawFacts(this.#facts, view.facts);
        this.#chart.draw(view.past, view.unit, now);
        this.#drawEntries(view);
    }

    #drawCancel(cancel) {
        this.#pending.classList.toggle("shown", cancel !== null);
        this.#pending.inert = cancel === null;
        if (cancel === null) return;
        setText(this.#waiting, cancel.text);
        this.#cancel.disabled = !cancel.isPossible;
    }

    #drawEntries({ entries, past }) {
        const text = {
            loading: "Loading…", failed: past.error, here: "No events yet.",
        }[past.state];
        showText(this.#noEntries, entries.length === 0 ? text : "");
        setChildren(this.#entries, entries.map((entry) => entry.key).join("\n"), () =>
            entries.map((entry) => element("li", { "data-tone": entry.tone },
                element("time", { title: this.#times.full(entry.at) }, this.#times.full(entry.at)),
                element("span", { class: "kind" }, entry.kind), element("bdi", {}, entry.text))));
    }
}
