// Shows one screen at a time, with transitions.

/** The depth of each screen: deeper ones enter from the right, others from the left. */
const DEPTH = {
    login: 0, signup: 1, forgot: 2, reset: 3, list: 4, device: 5, logbook: 5, sites: 5, roster: 5, post: 6,
    site: 6,
};

const [DEEPER, BACK] = ["enters-deeper", "enters-back"];
const MOVES = [DEEPER, BACK];

export class Screens {
    #place;
    #shown = null;

    /** @param {HTMLElement} place The parent of the screen. */
    constructor(place) {
        this.#place = place;
    }

    get shown() { return this.#shown; }

    /** Replaces the shown screen by another one. */
    show(screen) {
        const before = this.#shown;
        if (screen === before) return;
        before?.leave();
        this.#shown = screen;
        this.#place.replaceChildren(screen.element);
        screen.element.classList.remove(...MOVES);
        if (before === null) return screen.first.focus({ preventScroll: true });
        const isBack = DEPTH[screen.name] < DEPTH[before.name];
        screen.element.classList.add(isBack ? BACK : DEEPER);
        screen.element.addEventListener("animationend", (event) => {
            if (event.target === screen.element) screen.element.classList.remove(...MOVES);
        });
    }

    /** Sets the scroll position and the focus after the screen was drawn. */
    settle(before) {
        const screen = this.#shown;
        if (before === null || screen === before) return;
        const isBack = DEPTH[screen.name] < DEPTH[before.name];
        if (isBack && screen.returned?.()) return;
        window.scrollTo(0, 0);
        screen.first.focus({ preventScroll: true });
    }
}
