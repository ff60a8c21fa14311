// The map of the world with a site: land, a grid of degrees, known towns, and the site.

import { element, setAttribute, setText, shape, showText } from "../common/dom.js";
import { COASTS } from "./coasts.js";
import { HEIGHT, point, points, WIDTH } from "./geography.js";

/** The degrees between two lines of the grid. */
const GRID = 30;

export class WorldMap {
    #across = shape("line", { class: "here-line", x1: "0", x2: String(WIDTH) });
    #down = shape("line", { class: "here-line", y1: "0", y2: String(HEIGHT) });
    #here = shape("circle", { class: "here", r: "6" });
    #drawing = shape("svg", { class: "world", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" },
        sea(), land(), ...grid(), ...dots(), this.#across, this.#down, this.#here);
    #text = element("p", { class: "state" });
    #coordinates = element("p", { class: "summary" });
    #app = element("a", { class: "about" }, "Open in a map application");
    #map = element("a", { class: "about", target: "_blank", rel: "noopener noreferrer" },
        "Open in OpenStreetMap");
    #links = element("p", { class: "map-links" }, this.#app, " · ", this.#map);
    element = element("div", { class: "world-box" }, this.#text, this.#coordinates, this.#drawing,
        this.#links);

    /** @param {ReturnType<typeof import("./sitesview.js").mapView>} view */
    draw(view) {
        setText(this.#text, view.text);
        showText(this.#coordinates, view.isKnown ? view.coordinates : "");
        this.#links.hidden = !view.isKnown;
        setAttribute(this.#drawing, "hidden", view.isKnown ? null : "");
        if (!view.isKnown) return;
        setAttribute(this.#drawing, "aria-label", view.label);
        for (const name of ["y1", "y2"]) setAttribute(this.#across, name, view.point.y);
        for (const name of ["x1", "x2"]) setAttribute(this.#down, name, view.point.x);
        setAttribute(this.#here, "cx", view.point.x);
        setAttribute(this.#here, "cy", view.point.y);
        setAttribute(this.#app, "href", view.appHref);
        setAttribute(this.#map, "href", view.mapHref);
    }
}

function sea() { return shape("rect", { class: "sea", width: String(WIDTH), height: String(HEIGHT) }); }

/** The coasts are in tenths of a degree. */
function land() {
    return shape("path", { class: "land", d: COASTS, transform: `scale(${WIDTH / 3_600})` });
}

function grid() {
    const lines = [];
    for (let degrees = -150; degrees < 180; degrees += GRID) {
        const { x } = point(0, degrees);
        lines.push(shape("line", { class: degrees === 0 ? "rule main" : "rule", x1: x, x2: x, y1: "0",
            y2: String(HEIGHT) }));
    }
    for (let degrees = -60; degrees < 90; degrees += GRID) {
        const { y } = point(degrees, 0);
        lines.push(shape("line", { class: degrees === 0 ? "rule main" : "rule", x1: "0", x2: String(WIDTH),
            y1: y, y2: y }));
    }
    return lines;
}

function dots() {
    return points().map(({ x, y }) => shape("circle", { class: "known", cx: x, cy: y, r: "1.5" }));
}
