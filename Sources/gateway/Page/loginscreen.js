// The screen on which one logs in.

import { element, setAttribute, setText, showText } from "./dom.js";

export class LoginScreen {
    name = "login";
    #email = element("input", {
        id: "email", type: "email", autocomplete: "username", inputmode: "email", spellcheck: "false",
        autocapitalize: "none", maxlength: "254", enterkeyhint: "next", "aria-describedby": "login-error",
    });
    #password = element("input", {
        id: "password", type: "password", autocomplete: "current-password", maxlength: "256",
        enterkeyhint: "go", "aria-describedby": "login-error",
    });
    #words = element("span");
    #button = element("button", { type: "submit", class: "primary" },
        element("span", { class: "spinner", "aria-hidden": "true" }), this.#words);
    #error = element("p", { id: "login-error", class: "login-error", role: "alert" });
    #form = element("form", { class: "card login", novalidate: "" },
        element("img", { src: "/page/icon.svg", alt: "", class: "logo", width: "56", height: "56" }),
        element("h1", { tabindex: "-1" }, "Sensibus"),
        element("label", { for: "email" }, "Email"), this.#email,
        element("label", { for: "password" }, "Password"), this.#password,
        this.#error, this.#button);
    element = element("main", { class: "screen login-screen" }, this.#form);

    /** @param {{typed(email, isFilled), submitted(email, password)}} does What typing and logging in do. */
    constructor(does) {
        const typed = () => does.typed(this.#email.value.trim(), this.#password.value !== "");
        const submit = () => does.submitted(this.#email.value.trim(), this.#password.value);
        this.#form.addEventListener("input", typed);
        this.#form.addEventListener("change", typed);
        this.#form.addEventListener("submit", (event) => {
            event.preventDefault();
            submit();
        });
        this.#email.addEventListener("keydown", (event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            this.#password.focus();
        });
    }

    get first() { return this.#email.value === "" ? this.#email : this.#password; }

    /** @param {{button, canLogIn, isBusy, error}} view */
    draw({ button, canLogIn, isBusy, error }) {
        setText(this.#words, button);
        this.#button.disabled = !canLogIn;
        this.#button.classList.toggle("busy", isBusy);
        setAttribute(this.#form, "aria-busy", isBusy);
        for (const field of [this.#email, this.#password]) {
            setAttribute(field, "readonly", isBusy ? "" : null);
            setAttribute(field, "aria-invalid", error === "" ? null : "true");
        }
        showText(this.#error, error);
    }

    /** A password does not stay longer than it is needed. */
    leave() { this.#password.value = ""; }
}
