// The users on duty now, and the message of the day, at the top of a screen.

import { element, setChildren, showText } from "../common/dom.js";

export class Duty {
    #times;
    #users = element("p", { class: "duty-users" });
    #message = element("p", { class: "duty-message" });
    #error = element("p", { class: "duty-error" });
    element;

    /**
     * @param {import("../common/times.js").Times} times
     * @param {string | null} href The link to the whole roster; null for none.
     */
    constructor(times, href = null) {
        this.#times = times;
        const inside = [this.#users, this.#message, this.#error];
        const rest = href === null ? [] : [element("a", { class: "duty-rest", href }, "View roster")];
        this.element = element("section", { class: "duty", "aria-label": "On duty", hidden: "" },
            ...inside, ...rest);
    }

    /** @param {ReturnType<typeof import("./rosterview.js").dutyView>} view */
    draw(view, now) {
        this.element.hidden = view === null;
        if (view === null) return;
        const parts = this.#parts(view, now);
        setChildren(this.#users, JSON.stringify(parts), () => parts.map((part) =>
            typeof part === "string" ? part : element("bdi", { class: "duty-who" }, part.who)));
        showText(this.#message, view.message);
        showText(this.#error, view.error);
    }

    /** Texts and names, in order. */
    #parts({ users, isStaffed, unstaffedUntil, hasShifts }, now) {
        if (!isStaffed && !hasShifts) return [];
        if (!isStaffed) {
            const until = unstaffedUntil === null ? "" : `, until ${this.#at(unstaffedUntil, now)}`;
            return [`No one is on duty now${until}.`];
        }
        return ["On duty now: ", ...users.flatMap(({ who, until }, index) =>
            [...index === 0 ? [] : [", "], { who }, ` until ${this.#at(until, now)}`])];
    }

    #at(time, now) { return whenText(this.#times, time, now); }
}

/** A time to the minute, with the date unless it is today. */
export function whenText(times, at, now) {
    const [day, today] = [times.text(at, true), times.text(now, true)];
    return day === today ? times.text(at, false) : `${day} ${times.text(at, false)}`;
}
