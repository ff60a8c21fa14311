// The card of a command queue: the button that starts it, and its progress.

import { element, setText, showText } from "../common/dom.js";

export class QueueCard {
    #words = element("span");
    #send = element("button", { type: "button", class: "primary" },
        element("span", { class: "spinner", "aria-hidden": "true" }), this.#words);
    #choice = element("select", { class: "choice", "aria-label": "Device for the commands" });
    #hint = element("p", { class: "queue-hint" }, ...naming());
    #error = element("p", { class: "login-error", role: "alert" });
    #title = element("p", { class: "queue-title", role: "status" }, ...naming());
    #running = element("p", { class: "queue-running" });
    #ended = element("ol", {
        class: "queue-ids", "aria-label": "Commands that have ended", "aria-live": "polite",
    });
    #steer = Object.fromEntries(["pause", "stop", "cancel"].map((name) =>
        [name, element("button", { type: "button", class: "secondary", "data-steer": name })]));
    #steering = element("div", {
        class: "queue-steering", role: "group", "aria-label": "Command controls",
    }, ...Object.values(this.#steer));
    #shown = element("div", { class: "queue-shown" }, this.#title, this.#running, this.#ended,
        this.#steering);
    #view = null;
    #drawnChoices = "";
    element;

    /** @param {{choose(device), send(device), steer(kind)}} does Called for the user's actions. */
    constructor(does) {
        this.element = element("section", { class: "card queue", "aria-label": "Commands" },
            element("div", { class: "queue-line" }, this.#choice, this.#send, this.#hint), this.#error,
            this.#shown);
        this.#choice.addEventListener("change", () => does.choose(this.#choice.value || null));
        this.#send.addEventListener("click", () => does.send(this.#view.target));
        for (const [name, button] of Object.entries(this.#steer)) {
            button.addEventListener("click", () => does.steer(this.#view.shown[name].kind));
        }
    }

    draw(view) {
        this.#view = view;
        this.element.hidden = view.isHidden;
        setText(this.#words, view.button);
        this.#drawChoice(view);
        const hadKeyboard = document.activeElement === this.#send;
        this.#send.disabled = !view.canSend && !view.isSending;
        this.#send.classList.toggle("busy", view.isSending);
        this.#send.setAttribute("aria-busy", view.isSending);
        setNaming(this.#hint, view.hint);
        showText(this.#error, view.error);
        this.#shown.hidden = view.shown === null;
        if (view.shown !== null) this.#drawShown(view.shown);
        // After the start the focus moves to the controls.
        const isOver = hadKeyboard && this.#send.disabled && view.shown?.isUnderWay === true;
        if (isOver) this.#steer.pause.focus({ preventScroll: true });
    }

    /** The choices are not replaced while the list has the focus: an open list would close. */
    #drawChoice({ choices, hasMore, chosen, canChoose }) {
        this.#choice.disabled = !canChoose;
        const isChosenMissing = chosen !== null && choices.every(({ id }) => id !== chosen.id);
        const all = isChosenMissing ? [chosen, ...choices] : choices;
        const key = JSON.stringify([all, hasMore]);
        if (key !== this.#drawnChoices && document.activeElement !== this.#choice) {
            this.#drawnChoices = key;
            this.#choice.replaceChildren(element("option", { value: "" }, "Choose a device…"),
                ...all.map(({ id, name }) => element("option", { value: id }, name)),
                ...hasMore ? [element("option", { disabled: "" }, "Search to find more")] : []);
        }
        const value = chosen?.id ?? "";
        if (this.#choice.value !== value) this.#choice.value = value;
    }

    #drawShown(shown) {
        setNaming(this.#title, shown.title);
        this.#title.dataset.tone = shown.tone;
        showText(this.#running, shown.running);
        this.#drawItems(shown.items);
        // When the controls are hidden, the focus moves to the button that starts the next queue.
        const hadKeyboard = this.#steering.contains(document.activeElement);
        this.#steering.hidden = !shown.isUnderWay;
        if (hadKeyboard && !shown.isUnderWay) this.#send.focus({ preventScroll: true });
        for (const [name, button] of Object.entries(this.#steer)) {
            setText(button, shown[name].words);
            // The button stays focusable, so that it keeps the focus while an answer is awaited.
            button.setAttribute("aria-disabled", String(!shown[name].can));
        }
    }

    /** Appends new items; existing ones stay. */
    #drawItems(items) {
        this.#ended.hidden = items.length === 0;
        const drawn = [...this.#ended.children];
        const isSame = drawn.length <= items.length
            && drawn.every((one, index) => one.dataset.key === items[index].key);
        if (!isSame) this.#ended.replaceChildren();
        for (const item of items.slice(this.#ended.children.length)) {
            const words = item.words === "" ? [] : [element("span", {}, item.words)];
            this.#ended.append(element("li", { "data-key": item.key, "data-tone": item.tone },
                element("bdi", {}, item.id), ...words));
        }
    }
}

/** The parts of a text with a device's name, whose direction of writing is isolated. */
function naming() { return [element("span"), element("bdi"), element("span")]; }

/** Shows such a text; hides the node if the text is empty. */
function setNaming(node, parts) {
    node.hidden = parts.length === 0;
    [...node.children].forEach((child, index) => setText(child, parts[index] ?? ""));
}
