// Log-in, sign-up and password reset.

import { Address } from "../common/address.js";
import { COMMAND_TIMEOUT, Lost, Refused } from "../common/gateway.js";
import { text } from "../common/wire.js";
import { LoginScreen } from "./loginscreen.js";
import { loginView } from "./loginview.js";
import { featuresFrom, sessionFrom } from "./loginwire.js";

/** The screens from which each of these screens is opened. */
const PARENTS = { login: [], signup: ["login"], forgot: ["login", "signup"], reset: ["forgot"] };

/** @type {import("../common/feature.js").Feature} */
export const feature = {
    name: "login",
    screens: Object.entries(PARENTS).map(([name, parents]) => ({
        name, parents, view: loginView,
        // Without a session, the log-in is shown at every other address.
        addresses: name === "login" ? [] : [new Address(name, name)],
        make: ({ model, handle, handleAtOnce, back }) => new LoginScreen(name, {
            typed: (typed) => handleAtOnce(() => model.loginForms.typed(name, typed)),
            submitted: (secrets) => handle((now) => model.loginForms.sendAsked(name, secrets, now)),
            moved: (screen) => handle(() => model.loginForms.moveAsked(screen)),
            back,
        }),
    })),
    messages: ["login", "signUp", "forgot", "reset"],
    effects: ({ model, gateway, attempt }) => {
        const send = (step, path, body, read, done) =>
            attempt(gateway.send("POST", path, { body, read, timeout: COMMAND_TIMEOUT }), {
                done,
                ended: (message, now) => model.loginForms.sendFailed(step, { message, isLost: false }, now),
                failed: (error, now) => {
                    const isLost = error instanceof Lost && !error.isAnswer;
                    const message = isLost ? "" : error.message;
                    model.loginForms.sendFailed(step, { message, isLost }, now);
                },
            });
        const enter = (session, now) => model.loggedIn(session, now);
        return {
            login: ({ email, password }) =>
                send("login", "/page/session", { email, password }, sessionFrom, enter),
            signUp: ({ email, password }) =>
                send("signup", "/page/signup", { email, password }, sessionFrom, enter),
            forgot: ({ email }) => send("forgot", "/page/forgot", { email }, undefined, () =>
                model.loginForms.resetCodeSent()),
            reset: ({ token, password }) =>
                send("reset", "/page/reset", { token, password }, undefined, ({ email }) =>
                    model.passwordReset(text(email, 254))),
            features: () => attempt(gateway.get("/page/ways", featuresFrom), {
                done: (features, now) => model.loginForms.featuresReceived(features, now),
                ended: (_, now) => model.loginForms.featuresFailed(true, now),
                failed: (error, now) => model.loginForms.featuresFailed(
                    error.isAnswer === true || error instanceof Refused, now),
            }),
        };
    },
};
