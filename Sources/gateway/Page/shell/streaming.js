// The times at which the page requests the session, and opens and closes its stream. Pure: times are
// parameters.

/** Milliseconds between a request without an answer and the next one. */
const RETRY_AFTER = 3_000;

/** Milliseconds that a page may take to reopen its stream, after it was hidden, before a popup appears. */
const RESUMES_WITHIN = 1_500;

export class Streaming {
    #connection;
    #rehearsal;
    #do;
    #sessionAgainAt = null;
    #shownAt = -Infinity;
    /** Whether the last stream was silent for too long: the leader may have stopped. */
    #wasSilent = false;

    /**
     * @param {import("../common/connection.js").Connection} connection
     * @param {import("./rehearsal.js").Rehearsal | null} rehearsal Simulated states of the connection.
     * @param {(effect: {do: string}) => void} perform Performs an effect.
     */
    constructor(connection, rehearsal, perform) {
        [this.#connection, this.#rehearsal, this.#do] = [connection, rehearsal, perform];
    }

    askForSession() {
        this.#sessionAgainAt = null;
        this.#do({ do: "session" });
    }

    /** Requests the session again after a pause. */
    askLater(now) { this.#sessionAgainAt = now + RETRY_AFTER; }

    /** Whether the page was shown a moment ago and its stream is still being opened. */
    isResuming(now) { return this.#connection.stream !== "open" && now - this.#shownAt < RESUMES_WITHIN; }

    /** A session has begun or is still valid: opens the stream. */
    entered(now) {
        this.#sessionAgainAt = null;
        this.#listen(now);
    }

    /** The page was shown or hidden. A hidden page closes its stream. */
    shown(isShown, now) {
        const connection = this.#connection;
        if (isShown === connection.isShown) return;
        connection.isShown = isShown;
        if (connection.session === null) return;
        if (!isShown) {
            if (connection.stream === "closed") return;
            connection.stream = "closed";
            return this.#do({ do: "close" });
        }
        this.#shownAt = now;
        this.#listen(now);
        // The session may have ended while the page was hidden.
        this.askForSession();
    }

    /** @param {{isOver: boolean}} event Whether the browser will not reconnect. */
    broke({ isOver }, now) {
        this.#connection.stream = "broken";
        if (isOver) this.#reopen(now);
    }

    /** Reopens the stream after too long a silence, and requests the session when that is due. */
    ticked(now) {
        if (this.#connection.isSilent(now)) {
            this.#wasSilent = true;
            this.broke({ isOver: true }, now);
        }
        if (this.#sessionAgainAt !== null && this.#sessionAgainAt <= now) this.askForSession();
    }

    /** Applies the state that the rehearsal has at this time. */
    rehearse(now) {
        if (this.#rehearsal === null) return;
        const stream = this.#connection.rehearse(this.#rehearsal.at(now), now);
        if (stream === "open") this.#open();
        else if (stream !== null) this.#do({ do: stream });
    }

    clear() {
        this.#connection.clear();
        this.#sessionAgainAt = null;
        this.#do({ do: "close" });
    }

    #listen(now) {
        const { stream, isHeldBack, isShown } = this.#connection;
        if (stream !== "closed" || isHeldBack || !isShown) return;
        this.#connection.opening(now);
        this.#open();
    }

    #open() {
        this.#do(this.#wasSilent ? { do: "open", stealsLock: true } : { do: "open" });
        this.#wasSilent = false;
    }

    /** Closes the stream and requests the session, which may have ended; its answer opens the stream. */
    #reopen(now) {
        this.#do({ do: "close" });
        this.#connection.stream = "closed";
        this.#sessionAgainAt ??= now + RETRY_AFTER;
    }
}
