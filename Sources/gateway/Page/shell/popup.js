// The popup about the connection: shown while it is not established, for a while after it is, and after a
// message was sent. Pure: times are parameters.

/** Milliseconds for which a success is shown. */
export const SUCCESS_SHOWN_FOR = 3_000;

const VIEWS = {
    connecting: { tone: "busy", text: "Connecting…" },
    established: { tone: "good", text: "Connection established" },
    error: { tone: "bad", text: "Connection error" },
};
const SENT = { tone: "good", text: "Message sent" };
const NOTHING = { tone: "good", text: "" };

export class Popup {
    #state = null;
    #since = 0;
    #sentAt = null;
    #hasSent = false;
    #messages;

    /** @param {string[]} messages The effects that send something that the user has entered. */
    constructor(messages = []) {
        this.#messages = new Set(messages);
    }

    sent() { this.#hasSent = true; }

    /** An effect of that kind was performed: the user's message was passed to the connection. */
    performed(kind) { if (this.#messages.has(kind)) this.sent(); }

    /** @param {"connecting" | "established" | "error"} state The current state of the connection. */
    follow(state, now) {
        if (state !== this.#state) {
            this.#state = state;
            this.#since = now;
            this.#sentAt = null;
        }
        // A message without a connection was not sent, and is not reported as sent later.
        if (this.#hasSent && state === "established") this.#sentAt = now;
        this.#hasSent = false;
    }

    /** @returns {{tone: "good" | "busy" | "bad", text: string}} Its text is empty while no popup is shown. */
    view(now) {
        if (this.#state === null) return NOTHING;
        if (this.#state !== "established") return VIEWS[this.#state];
        if (this.#sentAt !== null && now - this.#sentAt < SUCCESS_SHOWN_FOR) return SENT;
        return now - this.#since < SUCCESS_SHOWN_FOR ? VIEWS.established : NOTHING;
    }
}

/** The popup about the connection. @returns {{tone: string, text: string}} */
export function popupView(model, now) {
    const { tone, text } = model.popup.view(now);
    return { tone, text: text !== "" && model.connection.rehearsed !== null ? `${text} (rehearsed)` : text };
}
