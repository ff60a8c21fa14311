// The view of the log-in screens, as texts and flags. Pure: a function of the model and the time.

import { stepOf } from "./loginforms.js";

const RESET_CLOSED = "Password reset is disabled. Ask the operator for a new password.";
const NOTHING_STORED = "You’re offline, and nothing is stored on this device yet.";

/** The texts of the log-in screens: the button, the button while the form is sent, and hints. */
const FORMS = {
    login: { button: "Log in", busy: "Logging in…", hint: "", closed: "" },
    signup: {
        button: "Sign up", busy: "Signing up…",
        hint: "Create your own account. Choose a password of 8 characters or more.",
        closed: "Sign-up is disabled. Ask the operator for access.",
    },
    forgot: {
        button: "Send code", busy: "Sending…",
        hint: "We’ll send you a code to reset your password.", closed: RESET_CLOSED,
    },
    reset: {
        button: "Set new password", busy: "Saving…",
        hint: "The code works once, for 15 minutes. Choose a password of 8 characters or more. "
            + "You’ll be signed out everywhere, and your API keys are revoked.",
        closed: RESET_CLOSED,
    },
};

/** The screen that is shown without a session. */
export function loginView(model, now) {
    const { loginForms } = model;
    const step = stepOf(model.route);
    const { button, busy, hint, closed } = FORMS[step];
    const { isBusy, isSame, isComplete, error } = loginForms.form(step);
    // Stored data is shown instead of the log-in.
    const isFirst = step === "login" && !model.connection.canBeReached;
    const labels = {
        connecting: "Connecting…", established: isBusy ? busy : button, error: "You are offline",
    };
    return {
        button: labels[model.connectionState],
        canSend: loginForms.canSend(step), canMove: loginForms.canMove(step),
        offered: loginForms.offered, isBusy, email: loginForms.email,
        hint: isFirst ? NOTHING_STORED : loginForms.isOpen(step) ? hint : closed,
        success: loginForms.success, notice: loginForms.notice(now),
        error: error === "" && isComplete && !isSame ? "Passwords don’t match." : error,
    };
}
