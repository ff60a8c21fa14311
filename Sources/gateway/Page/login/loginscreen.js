// The screens for log-in, sign-up and password reset: fields, the button below them, and links to the other
// screens.

import { element, quietLink, setAttribute, setText, showText } from "../common/dom.js";
import { isLongEnough } from "./loginforms.js";

const NEW_PASSWORD = { type: "password", autocomplete: "new-password", minlength: "8", maxlength: "256" };
const FIELDS = {
    email: {
        label: "Email", type: "email", autocomplete: "username", inputmode: "email", spellcheck: "false",
        autocapitalize: "none", maxlength: "254",
    },
    token: {
        label: "Reset code", type: "text", autocomplete: "one-time-code", spellcheck: "false",
        autocapitalize: "none", maxlength: "80",
    },
    password: { label: "Password", type: "password", autocomplete: "current-password", maxlength: "256" },
    newPassword: { label: "Password", ...NEW_PASSWORD },
    again: { label: "Repeat password", ...NEW_PASSWORD },
};
/** The title, the fields and the links of each screen. */
const SCREENS = {
    login: { title: "Sensibus", fields: ["email", "password"], onwards: ["signup", "forgot"] },
    signup: { title: "Sign up", fields: ["email", "newPassword", "again"], onwards: ["forgot"] },
    forgot: { title: "Forgot password", fields: ["email"], onwards: ["reset"] },
    reset: { title: "Reset password", fields: ["token", "newPassword", "again"], onwards: [] },
};
const LINKS = { signup: "Sign up", forgot: "Forgot password?", reset: "I have a code" };

export class LoginScreen {
    #fields = {};
    #label = element("span");
    #button = element("button", { type: "submit", class: "primary" },
        element("span", { class: "spinner", "aria-hidden": "true" }), this.#label);
    #hint = element("p", { class: "login-hint" });
    #success = element("p", { class: "login-success", role: "status" });
    #error = element("p", { class: "login-error", role: "alert" });
    /** The notice about the connection; screen readers skip it, because it is repeated. */
    #notice = element("p", { class: "bulletin", "aria-live": "off" });
    #links;
    #form;
    element;

    /**
     * @param {import("./loginforms.js").Step} name
     * @param {{typed(typed), submitted(secrets), moved(screen), back(event)}} does The handlers for typing,
     *     sending, moving to another of these screens, and going back.
     */
    constructor(name, does) {
        const { title, fields, onwards } = SCREENS[name];
        // Browsers have stored the fields of the first screen under these IDs.
        const idOf = (field) => name === "login" ? field : `${name}-${field}`;
        this.#error.id = `${name}-error`;
        for (const field of fields) this.#fields[field] = input(idOf(field), FIELDS[field], this.#error.id);
        this.#links = new Map(onwards.map((screen) => {
            const link = element("button", { type: "button", class: "secondary" }, LINKS[screen]);
            link.addEventListener("click", () => does.moved(screen));
            return [screen, link];
        }));
        const labelled = fields.flatMap((field) =>
            [element("label", { for: idOf(field) }, FIELDS[field].label), this.#fields[field]]);
        this.#form = element("form", { class: "card login", novalidate: "" },
            ...name === "login" ? [logo()] : [backLink(does.back)],
            element("h1", { tabindex: "-1" }, title), this.#hint, this.#success, ...labelled, this.#error,
            this.#button, element("div", { class: "login-links" }, ...this.#links.values()),
            this.#notice);
        this.element = element("main", { class: "screen login-screen" }, this.#form);
        for (const event of ["input", "change"]) {
            this.#form.addEventListener(event, () => does.typed(this.#typed));
        }
        this.#form.addEventListener("submit", (event) => {
            event.preventDefault();
            does.typed(this.#typed);
            does.submitted(this.#secrets);
        });
        this.#form.addEventListener("keydown", (event) => this.#press(event));
    }

    /** The first empty field. */
    get first() {
        const fields = Object.values(this.#fields);
        return fields.find((field) => field.value === "") ?? fields[0];
    }

    /** @param {{button, canSend, canMove, offered, isBusy, email, hint, success, notice, error}} view */
    draw({ button, canSend, canMove, offered, isBusy, email, hint, success, notice, error }) {
        setText(this.#label, button);
        this.#button.disabled = !canSend;
        this.#button.classList.toggle("busy", isBusy);
        setAttribute(this.#form, "aria-busy", isBusy);
        for (const [screen, link] of this.#links) {
            link.disabled = !canMove;
            link.hidden = !offered.includes(screen);
        }
        for (const field of Object.values(this.#fields)) {
            setAttribute(field, "readonly", isBusy ? "" : null);
            setAttribute(field, "aria-invalid", error === "" ? null : "true");
        }
        const address = this.#fields.email;
        if (address !== undefined && address !== document.activeElement && address.value.trim() !== email) {
            address.value = email;
        }
        showText(this.#hint, hint);
        showText(this.#success, success);
        showText(this.#error, error);
        this.#notice.classList.toggle("shown", notice !== "");
        if (notice !== "") setText(this.#notice, notice);
    }

    /** Clears the secret fields when the screen is left. */
    leave() {
        for (const [field, { value }] of Object.entries(this.#fields)) {
            if (field !== "email" && value !== "") this.#fields[field].value = "";
        }
    }

    get #password() { return (this.#fields.password ?? this.#fields.newPassword)?.value ?? ""; }

    get #typed() {
        const { email, ...secrets } = this.#fields;
        const again = secrets.again?.value ?? this.#password;
        // A prefix of the password is not a mismatch yet.
        const isBeginning = again !== this.#password && this.#password.startsWith(again);
        return {
            ...email === undefined ? {} : { email: email.value.trim() },
            isComplete: !isBeginning && Object.values(secrets).every(({ value }) => value !== "")
                && (secrets.newPassword === undefined || isLongEnough(this.#password)),
            isSame: again === this.#password,
        };
    }

    get #secrets() {
        const { token } = this.#fields;
        return {
            ...this.#password === "" ? {} : { password: this.#password },
            ...token === undefined ? {} : { token: token.value.replace(/\s/g, "").toLowerCase() },
        };
    }

    /** Enter moves to the next field; in the last one it sends the form. */
    #press(event) {
        const fields = Object.values(this.#fields);
        if (event.key !== "Enter" || !fields.includes(event.target)) return;
        event.preventDefault();
        const next = fields[fields.indexOf(event.target) + 1];
        // The button may not be up to date yet; the model decides whether the form can be sent.
        if (next === undefined) this.#form.requestSubmit();
        else next.focus();
    }
}

function input(id, { label, ...attributes }, error) {
    return element("input", { id, ...attributes, "aria-describedby": error });
}

function logo() {
    return element("img", { src: "/page/icon.svg", alt: "", class: "logo", width: "56", height: "56" });
}

function backLink(back) {
    const link = quietLink("Back", "back", { class: "quiet login-back", href: "#/" });
    link.addEventListener("click", back);
    return link;
}
