// How far the page is connected, and as whom. Pure: times are handed in.

/** Milliseconds without a beat after which a stream that had beats counts as broken: two and a half. */
export const SILENCE_AT_MOST = 25_000;

export class Connection {
    /** Whether the browser has a connection at all. */
    isOnline;
    /** Whether the gateway answered when it was last asked. */
    isReachable = true;
    /**
     * A stream that is `broken` is mended by the browser; one that is `closed` is opened anew by us.
     *
     * @type {"closed" | "connecting" | "open" | "broken"}
     */
    stream = "closed";
    /** Whether the gateway has its controller. */
    hasController = true;
    /** Who is logged in; null also while only a kept list is shown. */
    session = null;
    /** Whether only people on duty switch devices, and this user is not on duty now; owners always may. */
    isOffDuty = false;
    /** How the connection is in a rehearsal; null where nothing is rehearsed. */
    rehearsed = null;
    /** When the stream last gave a sign of life; null where it has given none yet. */
    #beatAt = null;

    constructor(isOnline) {
        this.isOnline = isOnline;
    }

    /** Whether what is shown is what is. */
    get isLive() {
        return this.isOnline && !this.isHeldBack && this.stream === "open" && this.session !== null;
    }

    /** Whether there is anybody to log in at. */
    get canBeReached() { return this.isOnline && this.isReachable && this.rehearsed !== "error"; }

    /** Whether a rehearsal has it that there is no connection. */
    get isHeldBack() { return this.rehearsed !== null && this.rehearsed !== "established"; }

    /** Whether this user may switch devices at all. */
    get maySwitch() { return this.session !== null && this.session.role !== "viewer"; }

    /** Whether this user may switch devices now. */
    get maySwitchNow() { return this.maySwitch && !this.isOffDuty; }

    /**
     * How the connection is, for somebody in that phase of the model.
     *
     * @returns {"connecting" | "established" | "error"}
     */
    state(phase) {
        if (!this.canBeReached) return "error";
        if (this.isHeldBack || phase === "starting") return "connecting";
        if (phase === "login") return "established";
        if (this.isLive) return this.hasController ? "established" : "error";
        return this.session === null || this.stream === "connecting" ? "connecting" : "error";
    }

    /** It is made to be so. @returns {"open" | "close" | null} What there is to be done with the stream. */
    rehearse(state) {
        if (state === this.rehearsed) return null;
        this.rehearsed = state;
        if (this.session === null) return null;
        this.stream = state === "error" ? "closed" : "connecting";
        return state === "established" ? "open" : "close";
    }

    opened() {
        this.stream = "open";
        this.isReachable = true;
        this.#beatAt = null;
    }

    beat(now) { this.#beatAt = now; }

    /** Whether a stream that had beats has none any more. */
    isSilent(now) {
        return this.stream === "open" && this.#beatAt !== null && now - this.#beatAt > SILENCE_AT_MOST;
    }

    forget() {
        this.stream = "closed";
        this.session = null;
        this.isOffDuty = false;
        this.hasController = true;
        this.#beatAt = null;
    }
}
