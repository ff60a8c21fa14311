// When the page asks who is logged in, and when it opens and closes its stream. Pure: times are handed in.

/** Milliseconds after which a gateway that did not answer is asked again. */
export const RETRY_AFTER = 3_000;

export class Streaming {
    #connection;
    #rehearsal;
    #do;
    #sessionAgainAt = null;

    /**
     * @param {import("./connection.js").Connection} connection
     * @param {import("./rehearsal.js").Rehearsal | null} rehearsal What the connection is made to go through.
     * @param {(effect: import("./model.js").Effect) => void} perform Takes each effect.
     */
    constructor(connection, rehearsal, perform) {
        [this.#connection, this.#rehearsal, this.#do] = [connection, rehearsal, perform];
    }

    /** Looks whether somebody is logged in. */
    askForSession() {
        this.#sessionAgainAt = null;
        this.#do({ do: "session" });
    }

    /** Looks again in a while. */
    askLater(now) { this.#sessionAgainAt = now + RETRY_AFTER; }

    /** There is a session. */
    entered() {
        this.#sessionAgainAt = null;
        if (this.#connection.stream === "closed" && !this.#connection.isHeldBack) this.#listen();
    }

    /** @param {{isOver: boolean}} told Whether the browser will not mend it. */
    broke({ isOver }, now) {
        this.#connection.stream = "broken";
        if (isOver) this.#reopen(now);
    }

    /** Time goes by. */
    ticked(now) {
        if (this.#connection.isSilent(now)) this.broke({ isOver: true }, now);
        if (this.#sessionAgainAt !== null && this.#sessionAgainAt <= now) this.askForSession();
    }

    /** Has the connection be as a rehearsal has it. */
    rehearse(now) {
        const stream = this.#rehearsal === null ? null : this.#connection.rehearse(this.#rehearsal.at(now));
        if (stream !== null) this.#do({ do: stream });
    }

    /** Nobody is logged in. */
    forget() {
        this.#connection.forget();
        this.#sessionAgainAt = null;
        this.#do({ do: "close" });
    }

    #listen() {
        this.#connection.stream = "connecting";
        this.#do({ do: "open" });
    }

    /** A stream of our own, after a look at the session: it may have ended because that did. */
    #reopen(now) {
        this.#do({ do: "close" });
        this.#connection.stream = "closed";
        this.#sessionAgainAt ??= now + RETRY_AFTER;
    }
}
