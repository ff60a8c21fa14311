// Screens that follow each other.

/** How deep a screen lies: deeper ones come from the right, the others from the left. */
const DEPTH = {
    login: 0, signup: 1, forgot: 2, reset: 3, list: 4, device: 5, logbook: 5, sites: 5, roster: 5, post: 6,
    site: 6,
};

const [DEEPER, BACK] = ["enters-deeper", "enters-back"];
const MOVES = [DEEPER, BACK];

export class Screens {
    #place;
    #shown = null;

    /** @param {HTMLElement} place Where the screen is. */
    constructor(place) {
        this.#place = place;
    }

    get shown() { return this.#shown; }

    /** Shows a screen in place of another, and brings the keyboard to it. */
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

    /** The screen that was shown has been drawn: where it is, and what has the keyboard. */
    settle(before) {
        const screen = this.#shown;
        if (before === null || screen === before) return;
        const isBack = DEPTH[screen.name] < DEPTH[before.name];
        if (isBack && screen.returned?.()) return;
        window.scrollTo(0, 0);
        screen.first.focus({ preventScroll: true });
    }
}
