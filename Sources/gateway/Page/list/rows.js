// The rows of a long list; only visible rows exist as elements.

import { element, icon, name, setAttribute, setIcon, setText } from "../common/dom.js";
import { PowerSwitch } from "../fleet/power.js";
import { DEVICE } from "../device/address.js";

/** A row's height in rem; the style sheet has the same. */
const ROW_HEIGHT = 4.5;
/** Additional rows beyond either edge of the window, for moves of the focus. */
const BEYOND = 6;
/** Milliseconds of the animation of a removed row; the style sheet has the same. */
const LEAVING = 220;

class Row {
    #icon = icon("auto");
    #tile = element("span", { class: "tile" }, this.#icon);
    #name = name();
    #line = element("span", { class: "line" });
    #temperature = element("span", { class: "temperature" });
    #power;
    #version = null;
    index = 0;
    link;
    element;

    constructor(id, toggle) {
        this.link = element("a", { class: "row-link", href: DEVICE.hashOf({ id }) }, this.#name);
        this.#power = new PowerSwitch(() => toggle(id));
        this.element = element("li", { class: "row" }, this.#tile,
            element("div", { class: "row-text" }, this.link, this.#line), this.#temperature,
            this.#power.element);
    }

    draw(view) {
        setIcon(this.#icon, view.mode);
        setAttribute(this.element, "data-tone", view.tone);
        setAttribute(this.#tile, "data-mode", view.tone === "on" ? view.mode : null);
        setText(this.#name, view.name);
        setText(this.#line, view.line);
        setText(this.#temperature, view.temperature);
        this.#power.draw(view.power, view.name);
        if (this.#version !== null && this.#version !== view.version) this.#flash();
        this.#version = view.version;
    }

    focus(isSwitch) { (isSwitch ? this.#power.element : this.link).focus({ preventScroll: true }); }

    #flash() {
        this.element.classList.remove("changed");
        void this.element.offsetWidth;
        this.element.classList.add("changed");
    }
}

export class Rows {
    element = element("ul", { class: "rows", role: "list" });
    #toggle;
    /** @type {Map<string, Row>} */
    #drawn = new Map();
    #ids = [];
    #known = null;
    /** The row that gets the focus once it is drawn. */
    #wanted = null;
    /** A row's height in pixels, which depends on the font size. */
    #height = 0;

    /** @param {(id: string) => void} toggle Called when a switch is pressed. */
    constructor(toggle) {
        this.#toggle = toggle;
        this.element.addEventListener("keydown", (event) => this.#move(event));
    }

    /**
     * Draws the visible rows, and the one with the focus.
     *
     * @param {string[]} ids All IDs in order; a different array if they have changed.
     * @param {(id: string) => object | null} view Returns the view of a row.
     */
    draw(ids, view) {
        const isTaller = this.#measure();
        const isOther = ids !== this.#ids;
        const arrived = isOther && this.#known !== null ? this.#known : null;
        this.#ids = ids;
        if (isOther) this.#known = new Set(ids);
        if (isOther || isTaller) this.element.style.height = `${ids.length * this.#height}px`;
        const top = this.element.getBoundingClientRect().top;
        const first = Math.max(0, Math.floor(-top / this.#height) - BEYOND);
        const last = Math.min(ids.length, Math.ceil((window.innerHeight - top) / this.#height) + BEYOND);
        const focused = this.#focused();
        const wanted = new Set(ids.slice(first, last));
        if (focused !== null && this.#known.has(focused)) wanted.add(focused);
        for (const [id, row] of this.#drawn) if (!wanted.has(id)) this.#remove(id, row);
        for (let index = first; index < last; index += 1) {
            const row = this.#drawn.get(ids[index]);
            if (row !== undefined) row.index = index;
        }
        for (let index = first; index < last; index += 1) this.#place(ids[index], index, view, arrived);
        if (wanted.size > last - first) this.#place(focused, ids.indexOf(focused), view, null);
        if (this.#wanted !== null && !this.#known.has(this.#wanted.id)) this.#wanted = null;
        if (this.#wanted !== null) this.#focus(this.#wanted);
    }

    /** Moves the focus to a row, as soon as it is drawn. */
    focus(id) { this.#focus({ id, isSwitch: false }); }

    /** Moves the focus to the first row, if there is one. */
    focusFirst() { if (this.#ids.length > 0) this.#go(0, false); }

    /** Measures the height of rows. @returns {boolean} Whether it has changed. */
    #measure() {
        const height = ROW_HEIGHT * parseFloat(getComputedStyle(document.documentElement).fontSize);
        if (height === this.#height) return false;
        this.#height = height;
        return true;
    }

    #place(id, index, view, known) {
        const seen = view(id);
        if (seen === null) return;
        let row = this.#drawn.get(id);
        if (row === undefined) {
            row = new Row(id, this.#toggle);
            row.index = index;
            this.#drawn.set(id, row);
            if (known !== null && !known.has(id)) row.element.classList.add("arrives");
            this.#insert(row, index);
        }
        setAttribute(row.element, "aria-posinset", index + 1);
        setAttribute(row.element, "aria-setsize", this.#ids.length);
        const place = `translateY(${index * this.#height}px)`;
        if (row.element.style.transform !== place) row.element.style.transform = place;
        row.index = index;
        row.draw(seen);
    }

    /** Inserts a row in order, because the focus moves in the order of the document. */
    #insert(row, index) {
        let next = null;
        for (const other of this.#drawn.values()) {
            const isLater = other !== row && other.index > index;
            if (isLater && (next === null || other.index < next.index)) next = other;
        }
        this.element.insertBefore(row.element, next?.element ?? null);
    }

    #remove(id, row) {
        this.#drawn.delete(id);
        if (this.#known.has(id)) return row.element.remove();
        row.element.classList.add("leaves");
        row.element.inert = true;
        setTimeout(() => row.element.remove(), LEAVING);
    }

    #focused() {
        for (const [id, row] of this.#drawn) if (row.element.contains(document.activeElement)) return id;
        return null;
    }

    /** Moves between rows with the arrow keys, Home and End. */
    #move(event) {
        const id = this.#focused();
        if (id === null || event.ctrlKey || event.metaKey || event.altKey) return;
        const here = this.#ids.indexOf(id);
        const last = this.#ids.length - 1;
        const target = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: last }[event.key];
        if (target === undefined) return;
        event.preventDefault();
        const index = Math.min(last, Math.max(0, target));
        this.#go(index, document.activeElement.getAttribute("role") === "switch");
    }

    /** Scrolls a row into view, and moves the focus to its switch or link once it is drawn. */
    #go(index, isSwitch) {
        this.#reveal(index);
        this.#focus({ id: this.#ids[index], isSwitch });
    }

    #focus(wanted) {
        const row = this.#drawn.get(wanted.id);
        this.#wanted = row === undefined ? wanted : null;
        row?.focus(wanted.isSwitch);
    }

    #reveal(index) {
        const top = this.element.getBoundingClientRect().top + index * this.#height;
        const above = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
        const below = top + this.#height - window.innerHeight + 16;
        if (top < above) window.scrollBy(0, top - above);
        else if (below > 0) window.scrollBy(0, below);
    }
}
