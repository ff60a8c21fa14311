// What is typed to log in. Pure.

/** Whether a text may be an email address: the gateway knows better. */
export function looksLikeEmail(text) {
    return text.length <= 254 && /^[^\s@]+@[^\s@.][^\s@]*$/.test(text);
}

/** A form of which nothing but the email is filled in. */
export function emptyLogin(email) {
    return { email, isFilled: false, isBusy: false, error: "" };
}
