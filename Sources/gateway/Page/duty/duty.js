// The users on duty now, and the message of the day, at the top of a screen.

import { element, setText, showText } from "../common/dom.js";

export class Duty {
    #times;
    #people = element("p", { class: "duty-people" });
    #message = element("p", { class: "duty-message" });
    #error = element("p", { class: "duty-error" });
    #drawn = "";
    element;

    /**
     * @param {import("../common/times.js").Times} times
     * @param {string | null} href The link to the whole roster; null for none.
     */
    constructor(times, href = null) {
        this.#times = times;
        const inside = [this.#people, this.#message, this.#error];
        const rest = href === null ? [] : [element("a", { class: "duty-rest", href }, "View roster")];
        this.element = element("section", { class: "duty", "aria-label": "On duty", hidden: "" },
            ...inside, ...rest);
    }

    /** @param {ReturnType<typeof import("./rosterview.js").dutyView>} view */
    draw(view, now) {
        this.element.hidden = view === null;
        if (view === null) return;
        // Redrawn only after a change, so that screen readers do not repeat it.
        const words = this.#words(view, now);
        const key = JSON.stringify(words);
        if (key !== this.#drawn) {
            this.#drawn = key;
            this.#people.replaceChildren(...words.map((word) =>
                typeof word === "string" ? word : element("bdi", { class: "duty-who" }, word.who)));
        }
        setText(this.#message, view.message);
        this.#message.hidden = view.message === "";
        showText(this.#error, view.error);
    }

    /** Texts and names, in order. */
    #words({ people, isAnybody, nobodyUntil, hasShifts }, now) {
        if (!isAnybody && !hasShifts) return [];
        if (!isAnybody) {
            const until = nobodyUntil === null ? "" : `, until ${this.#at(nobodyUntil, now)}`;
            return [`No one is on duty now${until}.`];
        }
        return ["On duty now: ", ...people.flatMap(({ who, until }, index) =>
            [...index === 0 ? [] : [", "], { who }, ` until ${this.#at(until, now)}`])];
    }

    #at(time, now) { return whenText(this.#times, time, now); }
}

/** A time to the minute, with the date unless it is today. */
export function whenText(times, at, now) {
    const [day, today] = [times.text(at, true), times.text(now, true)];
    return day === today ? times.text(at, false) : `${day} ${times.text(at, false)}`;
}
