// The form for a post or a comment: the fields, and the button that sends them.

import { element, quietButton, setAttribute, setText, showText } from "../common/dom.js";

/** The maximum lengths in bytes; the controller has the same limits. */
const TITLE_BYTES = 200;
const BODY_BYTES = { post: 8_192, comment: 4_096 };

export class Writing {
    #title;
    #body;
    #label = element("span");
    #button = element("button", { type: "submit", class: "primary" },
        element("span", { class: "spinner", "aria-hidden": "true" }), this.#label);
    #error = element("p", { class: "login-error", role: "alert" });
    #device = element("bdi");
    #dropped = quietButton("Remove device", "close");
    #about = element("p", { class: "writing-about" }, element("span", {}, "About ", this.#device),
        this.#dropped);
    #first;
    element;

    /**
     * @param {"post" | "comment"} kind A comment has no title.
     * @param {{typed(texts), sent(), dropped()}} does The handlers for typing, sending, and removing the
     *     subject.
     */
    constructor(kind, does) {
        const label = kind === "post" ? "Details (optional)" : "Comment";
        this.#title = element("input", {
            type: "text", class: "writing-title", placeholder: "Title", "aria-label": "Title",
            maxlength: String(TITLE_BYTES), enterkeyhint: "next",
        });
        this.#body = element("textarea", {
            rows: kind === "post" ? "3" : "2", placeholder: label, "aria-label": label,
            maxlength: String(BODY_BYTES[kind]),
        });
        const fields = kind === "post" ? [this.#title, this.#body] : [this.#body];
        this.#first = fields[0];
        this.element = element("form", { class: "card writing", novalidate: "" }, this.#about, ...fields,
            this.#error, this.#button);
        this.#dropped.addEventListener("click", () => {
            does.dropped();
            this.#first.focus({ preventScroll: true });
        });
        this.element.addEventListener("input", () => {
            this.#checkLengths(kind);
            does.typed({ title: this.#title.value, body: this.#body.value });
        });
        // Enter in the title moves the focus to the text; it does not send the post.
        this.#title.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" || event.isComposing) return;
            event.preventDefault();
            this.#body.focus();
        });
        this.element.addEventListener("submit", (event) => {
            event.preventDefault();
            if (this.element.checkValidity()) does.sent();
            else this.element.reportValidity();
        });
    }

    /** @param {object | null} form Null if this user must not write. */
    draw(form) {
        this.element.hidden = form === null;
        if (form === null) return;
        setText(this.#label, form.button);
        // The button keeps the focus while the draft is sent; then the first field gets it.
        const hasKeyboard = document.activeElement === this.#button;
        this.#button.disabled = !form.canSend && !form.isBusy;
        if (hasKeyboard && this.#button.disabled) this.#first.focus({ preventScroll: true });
        this.#button.classList.toggle("busy", form.isBusy);
        setAttribute(this.element, "aria-busy", form.isBusy);
        for (const [field, text] of [[this.#title, form.title], [this.#body, form.body]]) {
            setAttribute(field, "readonly", form.isBusy ? "" : null);
            if (field.value !== text) field.value = text;
        }
        showText(this.#error, form.error);
        this.#about.hidden = (form.about ?? null) === null;
        setText(this.#device, form.about ?? "");
    }

    #checkLengths(kind) {
        for (const [field, most] of [[this.#title, TITLE_BYTES], [this.#body, BODY_BYTES[kind]]]) {
            const bytes = new TextEncoder().encode(field.value).length;
            field.setCustomValidity(bytes > most ? `This is too long by ${bytes - most} bytes.` : "");
        }
    }
}
