// The screen of one post of the logbook.

import { element, setAttribute, setChildren, setText, showText } from "../common/dom.js";
import { ScreenBar } from "../common/screenbar.js";
import { DEVICE } from "../device/address.js";
import { Writing } from "./writing.js";

export class PostScreen {
    #name = element("bdi", { class: "post-title" });
    #bar;
    #author = element("bdi", { class: "author" });
    #time = element("time");
    #device = element("a", { class: "about" }, element("bdi"));
    #site = element("bdi", { class: "about" });
    #text = element("p", { class: "post-body", dir: "auto" });
    #count = element("summary");
    #noComments = element("p", { class: "nothing" });
    #comments = element("ol", { class: "comments" });
    #details = element("details", { class: "card" }, this.#count, this.#noComments, this.#comments);
    #writing;
    #body;
    #missing = element("p", { class: "nothing" });
    #times;
    element;

    /**
     * @param {{opened(isOpen), typed(texts), sent(), back(event)}} does The handlers of the user's actions.
     * @param {import("../common/times.js").Times} times In the user's time zone.
     */
    constructor(does, times) {
        this.#times = times;
        this.#bar = new ScreenBar({ href: "#/posts", label: "Logbook" }, this.#name, does);
        this.#writing = new Writing("comment", does);
        this.#body = element("article", { class: "post" },
            element("section", { class: "card" },
                element("p", { class: "byline" }, this.#author, " · ", this.#time, " ", this.#device,
                    this.#site),
                this.#text),
            this.#details, this.#writing.element);
        this.element = element("main", { class: "screen post-screen" },
            ...this.#bar.elements, this.#missing, this.#body);
        this.#count.addEventListener("click", (event) => {
            event.preventDefault();
            does.opened(!this.#details.open);
        });
    }

    get first() { return this.#bar.title; }

    draw(view) {
        this.#bar.draw(view);
        this.#body.hidden = !view.isKnown;
        showText(this.#missing, view.isKnown ? "" : view.text);
        setText(this.#name, view.isKnown ? view.title : `Post ${view.number}`);
        if (!view.isKnown) return;
        setText(this.#author, view.author);
        setText(this.#time, this.#times.full(view.at));
        this.#device.hidden = view.device === null;
        setAttribute(this.#device, "href", view.device && DEVICE.hashOf(view.device));
        setText(this.#device.firstChild, view.device?.name ?? "");
        showText(this.#site, view.site ?? "");
        showText(this.#text, view.body);
        setText(this.#count, view.count);
        this.#details.open = view.isOpen;
        showText(this.#noComments, view.commentsText);
        this.#drawComments(view.comments);
        this.#writing.draw(view.form);
    }

    #drawComments(comments) {
        const keys = comments.map((comment) => `${comment.postId}.${comment.id}`).join(" ");
        setChildren(this.#comments, keys, () => comments.map((comment) => element("li", {},
            element("p", { class: "byline" }, element("bdi", { class: "author" }, comment.name), " · ",
                element("time", {}, this.#times.full(comment.writtenAtMs))),
            element("p", { class: "post-body", dir: "auto" }, comment.body))));
    }
}
