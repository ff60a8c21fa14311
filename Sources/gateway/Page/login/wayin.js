// Coming in: what is typed on the screens before one is in, and what became of it. Pure. Passwords and tokens
// are handed through, and never kept.

/** The screens before one is in, each with how far on it is. */
const DEPTHS = { login: 0, signup: 1, forgot: 2, reset: 3 };
/** Milliseconds from one check of the gateway to the next, and for which its result is shown. */
export const LOOK_EVERY = 5_000;
export const NOTICE_STAYS = 3_000;
/** What each screen asks the gateway for, and whether there is a way that it needs. */
const ASKS = {
    login: { effect: "login", way: null },
    signup: { effect: "signUp", way: "signUp" },
    forgot: { effect: "forgot", way: "recovery" },
    reset: { effect: "reset", way: "recovery" },
};

/** @typedef {"login" | "signup" | "forgot" | "reset"} Step */

export class WayIn {
    /** The same on all screens that ask for it. */
    email;
    /** What was last said to be on its way, or done; shown until something else is asked for. */
    note = "";
    /** The ways that the gateway has; null while that is not known. */
    #ways = null;
    /** @type {Record<Step, {isComplete: boolean, isSame: boolean, isBusy: boolean, error: string}>} */
    #forms = Object.fromEntries(Object.keys(DEPTHS).map((step) => [step, emptyForm(step)]));
    #isConnected;
    #perform;
    #lost;
    #sent;
    /** When the gateway was asked which screens it offers; null while no answer is awaited. */
    #askedAt = null;
    #lookAt = 0;
    /** The result of the last check, and until when it is shown. */
    #notice = { text: "", until: 0 };

    /**
     * @param {{isConnected: () => boolean, perform(effect), lost(now), sent(now)}} page `isConnected` returns
     *     whether a user can log in now; `perform` carries out an effect; `lost` is called when the gateway
     *     does not answer, and `sent` when a form was sent.
     */
    constructor({ isConnected, perform, lost, sent }, email = "") {
        this.#isConnected = isConnected;
        this.#perform = perform;
        [this.#lost, this.#sent] = [lost, sent];
        this.email = email;
    }

    /** What is known of a screen. @param {Step} step */
    form(step) { return this.#forms[step]; }

    /**
     * Something was typed.
     *
     * @param {Step} step
     * @param {{email?: string, isComplete: boolean, isSame: boolean}} typed Whether all the secrets are
     *     there, and whether the password is the same both times.
     */
    typed(step, { email = this.email, isComplete, isSame }) {
        this.email = email;
        Object.assign(this.#forms[step], { isComplete, isSame });
    }

    /** Whether a screen can be sent now. */
    canSend(step) {
        const { isComplete, isSame, isBusy } = this.#forms[step];
        const hasEmail = step === "reset" || looksLikeEmail(this.email);
        return hasEmail && isComplete && isSame && !isBusy && this.isOpen(step) && this.#isConnected();
    }

    /** Whether one can go on to another screen now. */
    canMove(step) { return !this.#forms[step].isBusy && this.#isConnected(); }

    /** Whether the way of a screen is there, as far as is known. */
    isOpen(step) {
        const { way } = ASKS[step];
        return way === null || this.#ways === null || this.#ways[way];
    }

    /** A screen is to be sent. @param {{password?: string, token?: string}} secrets */
    sendAsked(step, secrets, now) {
        if (!this.canSend(step)) return;
        Object.assign(this.#forms[step], { isBusy: true, error: "" });
        this.note = "";
        const email = step === "reset" ? {} : { email: this.email };
        this.#perform({ do: ASKS[step].effect, ...email, ...secrets });
        this.#sent(now);
    }

    /** @param {{words: string, isLost: boolean}} told The gateway's message, or that it did not answer. */
    sendFailed(step, { words, isLost }, now) {
        this.ended(step, words);
        if (isLost) this.#lost(now);
    }

    /** Somebody wants to a further screen. */
    moveAsked(screen) {
        if (this.#isConnected()) this.#perform({ do: "move", route: { screen } });
    }

    /** What came of what was sent. @param {string} error Empty where it went well. */
    ended(step, error = "") { Object.assign(this.#forms[step], { isBusy: false, error }); }

    /** The gateway has a token sent, or so it says of every address. */
    recoveryBegun() {
        this.ended("forgot");
        this.note = "If an account exists for this address, we’ve sent a code.";
        this.moveAsked("reset");
    }

    /** Another screen comes, and secrets that were typed are gone. */
    opened() {
        for (const [step, form] of Object.entries(this.#forms)) {
            Object.assign(form, emptyForm(step), { isBusy: form.isBusy });
        }
    }

    /** The screens that the gateway is known to offer. @returns {Step[]} */
    get offered() {
        return Object.keys(ASKS).filter((step) => ASKS[step].way !== null && this.#ways?.[ASKS[step].way]);
    }

    /** Asks the gateway every five seconds, while there is a connection, which screens it offers. */
    ticked(now) {
        if (this.#askedAt !== null || now < this.#lookAt || !this.#isConnected()) return;
        this.#askedAt = now;
        this.#perform({ do: "ways" });
    }

    /** @param {{signUp: boolean, recovery: boolean}} ways */
    waysCame(ways, now = 0) {
        const took = this.#askedAt === null ? "" : ` in ${Math.max(1, now - this.#askedAt)} ms`;
        this.#ways = ways;
        this.#looked(`Connected: the gateway answered${took}.`, now);
    }

    /** The check failed. @param {boolean} isAnswer Whether the gateway answered with an error. */
    waysLost(isAnswer, now) {
        this.#looked(isAnswer ? "Connected, but the controller isn’t responding." : "", now);
        if (!isAnswer) this.#lost(now);
    }

    /** The notice about the connection; empty between two checks, and without a connection. */
    notice(now) { return now < this.#notice.until && this.#isConnected() ? this.#notice.text : ""; }

    #looked(text, now) {
        this.#notice = { text, until: now + NOTICE_STAYS };
        this.#askedAt = null;
        this.#lookAt = now + LOOK_EVERY;
    }
}

/** The screen before one is in that an address names; the log-in for any other. @returns {Step} */
export function stepOf(route) {
    return Object.hasOwn(DEPTHS, route.screen) ? route.screen : "login";
}

/** Whether one route is further on than another. */
export function isOnwards(from, to) { return DEPTHS[stepOf(to)] > DEPTHS[stepOf(from)]; }

/** Whether a text may be an email address: the gateway knows better. */
export function looksLikeEmail(text) {
    return text.length <= 254 && /^[^\s@]+@[^\s@.][^\s@]*$/.test(text);
}

/** Whether a text is long enough to be chosen as a password: 8 bytes. */
export function isLongEnough(text) { return new TextEncoder().encode(text).length >= 8; }

/** Who forgot their password shows no secret. */
function emptyForm(step) {
    return { isComplete: step === "forgot", isSame: true, isBusy: false, error: "" };
}
