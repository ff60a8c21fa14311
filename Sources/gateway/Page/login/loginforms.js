// The state of the screens for log-in, sign-up and password reset. Pure. Passwords and codes are passed on
// and never stored.

/** The screens, each with its depth in the navigation. */
const DEPTHS = { login: 0, signup: 1, forgot: 2, reset: 3 };
/** Milliseconds between two checks of the gateway, and for which the result is shown. */
export const LOOK_EVERY = 5_000;
export const NOTICE_STAYS = 3_000;
/** The effect of each screen, and the feature of the gateway that it needs. */
const ASKS = {
    login: { effect: "login", feature: null },
    signup: { effect: "signUp", feature: "signUp" },
    forgot: { effect: "forgot", feature: "recovery" },
    reset: { effect: "reset", feature: "recovery" },
};

/** @typedef {"login" | "signup" | "forgot" | "reset"} Step */

export class LoginForms {
    /** The email, shared by all screens. */
    email;
    /** The message about the last success; shown until the next form is sent. */
    success = "";
    /** The features that the gateway offers; null if unknown. */
    #features = null;
    /** @type {Record<Step, {isComplete: boolean, isSame: boolean, isBusy: boolean, error: string}>} */
    #forms = Object.fromEntries(Object.keys(DEPTHS).map((step) => [step, emptyForm(step)]));
    #isConnected;
    #perform;
    #lost;
    #sent;
    /** The time of the request for these features; null while no answer is awaited. */
    #askedAt = null;
    #lookAt = 0;
    /** The result of the last check, and the time until which it is shown. */
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

    /** The state of a screen's form. @param {Step} step */
    form(step) { return this.#forms[step]; }

    /**
     * The user has typed.
     *
     * @param {Step} step
     * @param {{email?: string, isComplete: boolean, isSame: boolean}} typed Whether all secret fields are
     *     filled, and whether both passwords are equal.
     */
    typed(step, { email = this.email, isComplete, isSame }) {
        this.email = email;
        Object.assign(this.#forms[step], { isComplete, isSame });
    }

    /** Whether a screen's form can be sent now. */
    canSend(step) {
        const { isComplete, isSame, isBusy } = this.#forms[step];
        const hasEmail = step === "reset" || looksLikeEmail(this.email);
        return hasEmail && isComplete && isSame && !isBusy && this.isOpen(step) && this.#isConnected();
    }

    /** Whether the user can move on to another screen now. */
    canMove(step) { return !this.#forms[step].isBusy && this.#isConnected(); }

    /** Whether the gateway offers a screen, as far as is known. */
    isOpen(step) {
        const { feature } = ASKS[step];
        return feature === null || this.#features === null || this.#features[feature];
    }

    /** Sends a screen's form. @param {{password?: string, token?: string}} secrets */
    sendAsked(step, secrets, now) {
        if (!this.canSend(step)) return;
        Object.assign(this.#forms[step], { isBusy: true, error: "" });
        this.success = "";
        const email = step === "reset" ? {} : { email: this.email };
        this.#perform({ do: ASKS[step].effect, ...email, ...secrets });
        this.#sent(now);
    }

    /** @param {{message: string, isLost: boolean}} error The gateway's message, or that it did not answer. */
    sendFailed(step, { message, isLost }, now) {
        this.ended(step, message);
        if (isLost) this.#lost(now);
    }

    moveAsked(screen) {
        if (this.#isConnected()) this.#perform({ do: "move", route: { screen } });
    }

    /** The request of a screen has ended. @param {string} error Empty for a success. */
    ended(step, error = "") { Object.assign(this.#forms[step], { isBusy: false, error }); }

    /** The gateway has sent a code; its reply is the same for every address. */
    resetCodeSent() {
        this.ended("forgot");
        this.success = "If an account exists for this address, we’ve sent a code.";
        this.moveAsked("reset");
    }

    /** Another screen is shown: typed secrets are discarded. */
    opened() {
        for (const [step, form] of Object.entries(this.#forms)) {
            Object.assign(form, emptyForm(step), { isBusy: form.isBusy });
        }
    }

    /** The screens that the gateway is known to offer. @returns {Step[]} */
    get offered() {
        const isOffered = ({ feature }) => feature !== null && this.#features?.[feature];
        return Object.keys(ASKS).filter((step) => isOffered(ASKS[step]));
    }

    /** While connected, asks the gateway every five seconds which screens it offers. */
    ticked(now) {
        if (this.#askedAt !== null || now < this.#lookAt || !this.#isConnected()) return;
        this.#askedAt = now;
        this.#perform({ do: "features" });
    }

    /** @param {{signUp: boolean, recovery: boolean}} ways */
    featuresReceived(features, now = 0) {
        const duration = this.#askedAt === null ? "" : ` in ${Math.max(1, now - this.#askedAt)} ms`;
        this.#features = features;
        this.#looked(`Connected: the gateway answered${duration}.`, now);
    }

    /** The check failed. @param {boolean} isAnswer Whether the gateway answered with an error. */
    featuresFailed(isAnswer, now) {
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

/** The log-in screen that a route names; `login` for any other route. @returns {Step} */
export function stepOf(route) {
    return Object.hasOwn(DEPTHS, route.screen) ? route.screen : "login";
}

/** Whether a route lies deeper than another. */
export function isOnwards(from, to) { return DEPTHS[stepOf(to)] > DEPTHS[stepOf(from)]; }

/** Whether a text looks like an email address; the gateway validates it. */
export function looksLikeEmail(text) {
    return text.length <= 254 && /^[^\s@]+@[^\s@.][^\s@]*$/.test(text);
}

/** Whether a text is long enough for a new password: at least 8 bytes. */
export function isLongEnough(text) { return new TextEncoder().encode(text).length >= 8; }

/** The form of a step; the step `forgot` has no secret fields, so it is complete. */
function emptyForm(step) {
    return { isComplete: step === "forgot", isSame: true, isBusy: false, error: "" };
}
