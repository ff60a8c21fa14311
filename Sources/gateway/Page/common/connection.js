// The page's connection, and its session. Pure: times are parameters.

/** Milliseconds without a message after which a stream counts as broken: two and a half heartbeats. */
export const SILENCE_AT_MOST = 25_000;

export class Connection {
    /** Whether the browser has a connection at all. */
    isOnline;
    /** Whether the page is visible; a hidden page has no stream. */
    isShown;
    isReachable = true;
    /**
     * The browser reconnects a stream that is `broken`; the page opens one that is `closed`.
     *
     * @type {"closed" | "connecting" | "open" | "broken"}
     */
    stream = "closed";
    hasController = true;
    /** The session; null without one, and while only stored data is shown. */
    session = null;
    /** Whether this user must not switch devices now, because only owners and people on duty may. */
    isOffDuty = false;
    /** The simulated state of the connection; null without a rehearsal. */
    rehearsed = null;
    /** When the stream was opened, or its last message arrived. */
    #receivedAt = 0;

    constructor(isOnline, isShown = true) {
        [this.isOnline, this.isShown] = [isOnline, isShown];
    }

    get isLive() {
        return this.isOnline && !this.isHeldBack && this.stream === "open" && this.session !== null;
    }

    /** Whether requests can be sent; a hidden page can send them, too, although it has no stream. */
    get canAsk() {
        return this.isLive || (this.isOnline && !this.isShown && !this.isHeldBack && this.session !== null);
    }

    /** Whether the gateway can be reached for a log-in. */
    get canBeReached() { return this.isOnline && this.isReachable && this.rehearsed !== "error"; }

    /** Whether a rehearsal simulates a missing connection. */
    get isHeldBack() { return this.rehearsed !== null && this.rehearsed !== "established"; }

    /** Whether this user may switch devices at all. */
    get maySwitch() { return this.session !== null && this.session.role !== "viewer"; }

    get maySwitchNow() { return this.maySwitch && !this.isOffDuty; }

    /**
     * The reason why the page is not live, or its switches do not work: the browser has no network, the
     * gateway or the controller does not respond, or the connection is being made; null without a reason.
     *
     * @returns {"offline" | "gateway" | "controller" | "connecting" | null}
     */
    get trouble() {
        if (this.isLive) return this.hasController ? null : "controller";
        if (!this.isOnline || this.rehearsed === "error") return "offline";
        if (!this.isReachable) return "gateway";
        if (!this.hasController) return "controller";
        const isConnecting = this.session === null || this.stream === "connecting" || !this.isShown;
        return isConnecting || this.isHeldBack ? "connecting" : "gateway";
    }

    /**
     * The state of the connection in that phase of the model.
     *
     * @returns {"connecting" | "established" | "error"}
     */
    state(phase) {
        if (!this.canBeReached) return "error";
        if (this.isHeldBack || phase === "starting") return "connecting";
        if (phase === "login") return "established";
        const { trouble } = this;
        if (trouble === null) return "established";
        return trouble === "connecting" ? "connecting" : "error";
    }

    /**
     * Sets the simulated state. @returns {"open" | "close" | null} The action on the stream; null for none.
     */
    rehearse(state, now) {
        if (state === this.rehearsed) return null;
        this.rehearsed = state;
        if (this.session === null || !this.isShown) return null;
        this.stream = state === "error" ? "closed" : "connecting";
        this.#receivedAt = now;
        return state === "established" ? "open" : "close";
    }

    /**
     * The gateway answered the request for the session, so the controller is connected; an open stream has
     * newer information.
     */
    reached() {
        this.isReachable = true;
        if (this.stream !== "open") this.hasController = true;
    }

    /** The request for the session failed. @param {boolean} isAnswer Whether the gateway sent an error. */
    missed(isAnswer) {
        this.isReachable = isAnswer;
        if (isAnswer && this.stream !== "open") this.hasController = false;
    }

    opening(now) {
        this.stream = "connecting";
        this.#receivedAt = now;
    }

    opened(now) {
        this.stream = "open";
        this.isReachable = true;
        this.#receivedAt = now;
    }

    received(now) { this.#receivedAt = now; }

    /** Whether the last message, or the opening of the stream, is too long ago. */
    isSilent(now) {
        const isAwaited = this.stream === "open" || (this.stream === "connecting" && !this.isHeldBack);
        return isAwaited && now - this.#receivedAt > SILENCE_AT_MOST;
    }

    clear() {
        this.stream = "closed";
        this.session = null;
        this.isOffDuty = false;
        this.hasController = true;
    }
}
