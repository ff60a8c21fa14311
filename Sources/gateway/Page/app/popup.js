// What pops up about the connection: how it is while it is not well, and for a while when it has become so;
// and that a message has left. Pure: times are handed in.

/** Milliseconds that good news stays. */
export const NEWS_STAYS = 3_000;

const VIEWS = {
    connecting: { tone: "busy", text: "Connecting…" },
    established: { tone: "good", text: "Connection established" },
    error: { tone: "bad", text: "Connection error" },
};
const SENT = { tone: "good", text: "Message sent" };
/** Effects that send something that the user has entered. */
const MESSAGES = new Set([
    "toggle", "cancel", "writePost", "writeComment", "startSequence", "steerSequence",
    "login", "signUp", "forgot", "reset",
]);
const NOTHING = { tone: "good", text: "" };

export class Popup {
    #state = null;
    #since = 0;
    #sentAt = null;
    #hasSent = false;

    /** Something has been handed to the connection. */
    sent() { this.#hasSent = true; }

    /** An effect of that kind was performed: the user's message was passed to the connection. */
    performed(kind) { if (MESSAGES.has(kind)) this.sent(); }

    /** @param {"connecting" | "established" | "error"} state How the connection is now. */
    follow(state, now) {
        if (state !== this.#state) {
            this.#state = state;
            this.#since = now;
            this.#sentAt = null;
        }
        // What met no connection was not sent, and is not said to be when there is one.
        if (this.#hasSent && state === "established") this.#sentAt = now;
        this.#hasSent = false;
    }

    /** @returns {{tone: "good" | "busy" | "bad", text: string}} Its text is empty where nothing pops up. */
    view(now) {
        if (this.#state === null) return NOTHING;
        if (this.#state !== "established") return VIEWS[this.#state];
        if (this.#sentAt !== null && now - this.#sentAt < NEWS_STAYS) return SENT;
        return now - this.#since < NEWS_STAYS ? VIEWS.established : NOTHING;
    }
}
