// Pull to refresh: pulling the list down with a finger fetches it again.

import { element, icon } from "../common/dom.js";

/** The distance that triggers a refresh, and the maximum that the list follows, in pixels. */
const FAR_ENOUGH = 72;
const FARTHEST = 96;

export class PullToRefresh {
    element = element("div", { class: "pull", "aria-hidden": "true" }, icon("refresh"));
    #refresh;
    #start = null;
    #distance = 0;
    #isAsked = false;

    constructor(refresh) {
        this.#refresh = refresh;
        const options = { passive: true };
        document.addEventListener("touchstart", (event) => this.#begin(event), options);
        document.addEventListener("touchmove", (event) => this.#follow(event), options);
        document.addEventListener("touchend", () => this.#finish(true), options);
        document.addEventListener("touchcancel", () => this.#finish(false), options);
    }

    draw(isRefreshing) {
        this.element.classList.toggle("refreshing", isRefreshing && this.#isAsked);
        if (!isRefreshing) this.#isAsked = false;
    }

    #begin(event) {
        const isTop = this.element.isConnected && window.scrollY <= 0 && event.touches.length === 1;
        this.#start = isTop ? event.touches[0].clientY : null;
    }

    #follow(event) {
        if (this.#start === null) return;
        const feature = event.touches[0].clientY - this.#start;
        if (feature < 0 || window.scrollY > 0) return this.#finish(false);
        this.#show(Math.min(FARTHEST, feature / 2));
    }

    #finish(isDone) {
        const isFar = this.#distance >= FAR_ENOUGH;
        this.#start = null;
        this.#show(0);
        if (!isDone || !isFar) return;
        this.#isAsked = true;
        this.#refresh();
    }

    #show(distance) {
        this.#distance = distance;
        this.element.style.setProperty("--pulled", String(distance));
        this.element.classList.toggle("far", distance >= FAR_ENOUGH);
    }
}
