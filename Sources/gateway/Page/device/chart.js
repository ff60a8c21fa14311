// Draws the plot of a device's history.

import { element, setAttribute, setText, shape } from "../common/dom.js";
import { FRAME, plotOf } from "./plot.js";

const HEIGHT = 220;
/** Milliseconds after which the plot is redrawn because of elapsed time. */
const REDRAWN_AFTER = 5_000;

export class Chart {
    #drawing = shape("svg", { class: "chart", role: "img", height: String(HEIGHT) });
    #reading = element("p", { class: "reading", "aria-hidden": "true" });
    #marker = shape("circle", { class: "marker", r: "4", visibility: "hidden" });
    #nothing = element("p", { class: "nothing" }, "No readings yet.");
    element = element("div", { class: "chart-box" }, this.#drawing, this.#reading, this.#nothing);
    #times;
    #plot = null;
    #drawn = "";
    #unit = "C";

    /** @param {import("../common/times.js").Times} times In the user's time zone. */
    constructor(times) {
        this.#times = times;
        this.#drawing.addEventListener("pointermove", (event) => this.#point(event));
        this.#drawing.addEventListener("pointerdown", (event) => this.#point(event));
        this.#drawing.addEventListener("pointerleave", () => this.#point(null));
    }

    draw(past, unit, now) {
        const width = Math.floor(this.element.clientWidth);
        if (width === 0) return;
        const newest = [past.measurements.at(-1)?.at, past.changes.at(-1)?.at];
        const moment = Math.floor(now / REDRAWN_AFTER);
        const key = [width, unit, past.device, past.state, ...newest, moment].join(" ");
        if (key === this.#drawn) return;
        this.#drawn = key;
        this.#unit = unit;
        this.#plot = plotOf(past, {
            now, unit, width, height: HEIGHT,
            eastOfUTC: this.#times.eastOfUTC(now), timeText: this.#times.text,
        });
        this.#nothing.hidden = this.#plot !== null;
        setAttribute(this.#drawing, "hidden", this.#plot === null ? "" : null);
        setAttribute(this.#drawing, "viewBox", `0 0 ${width} ${HEIGHT}`);
        setAttribute(this.#drawing, "aria-label", this.#plot?.summary ?? "");
        this.#drawing.replaceChildren(...this.#shapes(width));
        this.#point(null);
    }

    #shapes(width) {
        if (this.#plot === null) return [];
        const { lines, spans, times, temperatures } = this.#plot;
        const floor = HEIGHT - FRAME.bottom;
        const label = (x, y, anchor, text) => shape("text", { x, y, "text-anchor": anchor }, text);
        const rule = (kind, x1, x2, y) => shape("line", { class: kind, x1, x2, y1: y, y2: y });
        const box = (kind, x, y, boxWidth, height) =>
            shape("rect", { class: kind, x, y, width: boxWidth, height, rx: kind === "on-area" ? 0 : 2 });
        return [
            ...temperatures.map(({ y }) => rule("rule", FRAME.left, width - FRAME.right, y)),
            ...temperatures.map(({ y, text }) => label(FRAME.left - 8, y + 4, "end", text)),
            ...times.map(({ x, text }) => label(x, HEIGHT - 6, "middle", text)),
            ...spans.filter((one) => one.isOn)
                .map((one) => box("on-area", one.x, FRAME.top, one.width, floor - FRAME.top)),
            ...spans.map(({ x, width: length, isOn }) =>
                box(isOn ? "band on" : "band", x, floor + 6, length, FRAME.band)),
            ...spans.filter((one) => one.target !== null)
                .map((one) => rule("target", one.x, one.x + one.width, one.target)),
            ...lines.map(({ area }) => shape("path", { class: "area", d: area })),
            ...lines.map(({ path }) => shape("path", { class: "temperature-line", d: path })),
            this.#marker,
        ];
    }

    /** Shows the value nearest to the pointer; the newest one without a pointer. */
    #point(event) {
        const points = this.#plot?.points ?? [];
        const x = event === null ? Infinity : event.clientX - this.#drawing.getBoundingClientRect().left;
        const nearest = points.reduce((one, other) =>
            one !== null && Math.abs(one.x - x) < Math.abs(other.x - x) ? one : other, null);
        setAttribute(this.#marker, "visibility", nearest === null ? "hidden" : "visible");
        setText(this.#reading, nearest === null ? ""
            : `${nearest.temperature.toFixed(1)} °${this.#unit} at ${this.#times.clock(nearest.at)}`);
        if (nearest === null) return;
        setAttribute(this.#marker, "cx", nearest.x);
        setAttribute(this.#marker, "cy", nearest.y);
    }
}
