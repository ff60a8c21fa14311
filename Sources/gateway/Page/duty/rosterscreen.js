// The screen with the roster: the users on duty, the message of the day, and the upcoming shifts.

import { element, setChildren, setText, showText } from "../common/dom.js";
import { ALL_DEVICES, ScreenBar } from "../common/screenbar.js";
import { Duty, whenText } from "./duty.js";

export class RosterScreen {
    #times;
    #bar;
    #name = element("bdi");
    #whose = element("p", { class: "summary" }, this.#name);
    #duty;
    #rule = element("p", { class: "summary" });
    #nothing = element("p", { class: "nothing" });
    #rows = element("ol", { class: "posts shifts", "aria-label": "Upcoming shifts" });
    #more = element("p", { class: "summary" });
    element;

    /**
     * @param {{refresh(), back(event)}} does The handlers of the user's actions.
     * @param {import("../common/times.js").Times} times
     */
    constructor(does, times) {
        this.#times = times;
        this.#bar = new ScreenBar(ALL_DEVICES, "Roster", does);
        this.#duty = new Duty(times);
        this.element = element("main", { class: "screen roster-screen" },
            ...this.#bar.elements, this.#whose, this.#duty.element, this.#rule, this.#nothing, this.#rows,
            this.#more);
    }

    get first() { return this.#bar.title; }

    draw(view, now) {
        this.#bar.draw({ ...view, canRefresh: view.canRefresh || view.isRefreshing });
        setText(this.#name, view.name);
        this.#whose.hidden = view.name === "";
        this.#duty.draw(view.duty, now);
        showText(this.#rule, view.rule);
        showText(this.#nothing, view.nothing);
        showText(this.#more, view.more);
        this.#drawRows(view.rows, now);
    }

    #drawRows(rows, now) {
        this.#rows.hidden = rows.length === 0;
        const lines = rows.map(({ who, from, to }) =>
            ({ who, when: `${whenText(this.#times, from, now)} – ${whenText(this.#times, to, now)}` }));
        setChildren(this.#rows, JSON.stringify(lines), () =>
            lines.map(({ who, when }) => element("li", { class: "post-row" },
                element("bdi", { class: "post-title" }, who), element("p", { class: "line" }, when))));
    }
}
