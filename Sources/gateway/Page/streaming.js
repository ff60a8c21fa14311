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

    /** Asks the gateway for the session. */
    askForSession() {
        this.#sessionAgainAt = null;
        this.#do({ do: "session" });
    }

    /** Asks for the session again after a pause. */
    askLater(now) { this.#sessionAgainAt = now + RETRY_AFTER; }

    /** A session has begun or goes on: the stream is opened. */
    entered(now) {
        this.#sessionAgainAt = null;
        this.#listen(now);
    }

    /** @param {{isOver: boolean}} told Whether the browser will not mend it. */
    broke({ isOver }, now) {
        this.#connection.stream = "broken";
        if (isOver) this.#reopen(now);
    }

    /** Opens the stream again after too long a silence, and asks for the session when that is due. */
    ticked(now) {
        if (this.#connection.isSilent(now)) this.broke({ isOver: true }, now);
        if (this.#sessionAgainAt !== null && this.#sessionAgainAt <= now) this.askForSession();
    }

    /** Applies the state that the rehearsal has at this time. */
    rehearse(now) {
        if (this.#rehearsal === null) return;
        const stream = this.#connection.rehearse(this.#rehearsal.at(now), now);
        if (stream !== null) this.#do({ do: stream });
    }

    /** Forgets the session and closes the stream. */
    forget() {
        this.#connection.forget();
        this.#sessionAgainAt = null;
        this.#do({ do: "close" });
    }

    #listen(now) {
        if (this.#connection.stream !== "closed" || this.#connection.isHeldBack) return;
        this.#connection.opening(now);
        this.#do({ do: "open" });
    }

    /** Closes the stream and asks for the session, which may have ended; its answer opens the stream. */
    #reopen(now) {
        this.#do({ do: "close" });
        this.#connection.stream = "closed";
        this.#sessionAgainAt ??= now + RETRY_AFTER;
    }
}
