// Shows one screen at a time, with transitions, and its title.

const [DEEPER, BACK] = ["enters-deeper", "enters-back"];
const MOVES = [DEEPER, BACK];

export class Screens {
    #place;
    #screens;
    /** The shown screen's name; null before the first. */
    name = null;

    /**
     * @param {HTMLElement} place The parent of the screen.
     * @param {{name: string, depth: number, view(model, now), title?(view), screen}[]} screens
     */
    constructor(place, screens) {
        this.#place = place;
        this.#screens = new Map(screens.map((one) => [one.name, one]));
    }

    /** The shown screen; undefined before the first. */
    get shown() { return this.#screens.get(this.name)?.screen; }

    /** Draws a screen, which replaces the shown one. */
    show(name, model, now) {
        const before = this.#screens.get(this.name);
        const after = this.#screens.get(name);
        if (after !== before) this.#replace(before, after);
        const view = after.view(model, now);
        after.screen.draw(view, now);
        const hasTitle = after.title !== undefined && view.isKnown;
        const title = hasTitle ? `${after.title(view)} – Sensibus` : "Sensibus";
        if (document.title !== title) document.title = title;
        if (before !== undefined && after !== before) this.#settle(before, after);
    }

    #replace(before, { name, depth, screen }) {
        before?.screen.leave?.();
        this.name = name;
        this.#place.replaceChildren(screen.element);
        screen.element.classList.remove(...MOVES);
        if (before === undefined) return screen.first.focus({ preventScroll: true });
        screen.element.classList.add(depth < before.depth ? BACK : DEEPER);
        screen.element.addEventListener("animationend", (event) => {
            if (event.target === screen.element) screen.element.classList.remove(...MOVES);
        });
    }

    /** Sets the scroll position and the focus after the screen was drawn. */
    #settle(before, { depth, screen }) {
        if (depth < before.depth && screen.returned?.()) return;
        window.scrollTo(0, 0);
        screen.first.focus({ preventScroll: true });
    }
}
