// The screen with the posts of the logbook.

import { element, setText } from "../common/dom.js";
import { LinkScreen } from "../common/linkscreen.js";
import { POST } from "./address.js";
import { Writing } from "./writing.js";

export class LogbookScreen extends LinkScreen {
    #older;
    #writing;

    /**
     * @param {{refresh(), older(), typed(texts), sent(), dropped(), back(event)}} does The handlers of the
     *     user's actions.
     */
    constructor(does) {
        const writing = new Writing("post", does);
        const older = element("button", { type: "button", class: "secondary older" }, "Older posts");
        super("Logbook", does, { kind: "logbook-screen", above: [writing.element], below: [older] }, POSTS);
        older.addEventListener("click", does.older);
        [this.#older, this.#writing] = [older, writing];
    }

    draw(view) {
        super.draw(view);
        this.#older.hidden = !view.hasOlder;
        this.#older.disabled = view.isRefreshing;
        this.#writing.draw(view.form);
    }
}

const POSTS = {
    kind: "posts",
    keyOf: ({ number }) => number,
    element: ({ number }) => element("li", { class: "post-row" },
        element("a", { class: "post-link", href: POST.hashOf({ number }) },
            element("bdi", { class: "post-title" })),
        element("p", { class: "line" }, element("bdi"), " · ", element("bdi")),
        element("span", { class: "post-comments" })),
    fill: ([link, line, comments], row) => {
        setText(link.firstChild, row.title);
        setText(line.firstChild, row.author);
        setText(line.lastChild, row.line);
        setText(comments, row.comments);
    },
};
