// The model of the page. Pure: each event is a method with the time as a parameter, and the caller drains the
// effects after it. The model uses no document, connection, clock or randomness.

import { Connection } from "../common/connection.js";
import { Notices } from "../common/notices.js";
import { Fleet } from "../fleet/fleet.js";
import { isOnwards, stepOf, LoginForms } from "../login/loginforms.js";
import { Popup } from "./popup.js";
import { Streaming } from "./streaming.js";

/** @typedef {{do: string} & Record<string, unknown>} Effect An action; main.js or a feature executes it. */

const LIST = { screen: "list" };

export class Model {
    /** @type {"starting" | "login" | "in"} */
    phase = "starting";
    connection;
    #streaming;
    /** The email of the user whose data is shown; empty for none. */
    email = "";
    loginForms;
    notices = new Notices();
    popup;
    fleet;
    /** The account services by name. @type {Record<string, import("../common/feature.js").Service>} */
    services;
    /** @type {import("./routes.js").Route} */
    route = LIST;
    /** Whether the user has logged out, and the gateway has not confirmed it. */
    owesLogout = false;

    #features;
    #query;
    /** Requests that were pending at a log-out that the gateway has not received yet. */
    #abandoned = [];
    #effects = [];

    /**
     * @param {{isOnline: boolean, isShown: boolean, rehearsal: import("./rehearsal.js").Rehearsal | null,
     *     features: import("../common/feature.js").Feature[], query: string}} surroundings Whether the
     *     browser has a connection, whether the page is visible, simulated states of the connection, the
     *     features of the page, and the query of its address.
     */
    constructor({ isOnline, isShown = true, rehearsal = null, features, query = "" }) {
        this.connection = new Connection(isOnline, isShown);
        this.#streaming = new Streaming(this.connection, rehearsal, (effect) => this.#do(effect));
        [this.#features, this.#query] = [features, query];
        this.popup = new Popup(features.flatMap(({ messages = [] }) => messages));
        this.#begin();
        this.loginForms = this.#newLoginForms();
    }

    /** The name of the screen to show; `starting` for none. */
    get screen() {
        if (this.phase === "login") return stepOf(this.route);
        return this.phase === "in" ? this.route.screen : this.phase;
    }

    /** Removes and returns the effects to execute, in order. */
    drain() { return this.#effects.splice(0); }

    /** The state of the connection. @returns {"connecting" | "established" | "error"} */
    get connectionState() { return this.connection.state(this.phase); }

    // The session.

    /**
     * @param {{stored: {email: string, at: number, devices} | null, owesLogout: boolean, route,
     *     services: Record<string, {email: string} | null>, drafts: {email: string, number, draft}[],
     *     commands: {email: string, command}[]}} initial
     */
    started({ stored, services = {}, drafts = [], commands = [], owesLogout, route }, now) {
        Object.assign(this, { route, owesLogout });
        const all = [stored, ...Object.values(services), ...drafts, ...commands];
        const email = all.find((one) => one !== null)?.email;
        if (email !== undefined && !owesLogout) {
            Object.assign(this, { phase: "in", email });
            if (stored !== null) this.fleet.restore(stored);
            for (const [name, own] of Object.entries(services)) {
                if (own?.email === email) this.services[name].restore(own);
            }
            const own = commands.filter((one) => one.email === email).map((one) => one.command);
            this.fleet.commands.restore(own, now);
            this.services.logbook.restoreDrafts(drafts.filter((one) => one.email === email));
            this.#openRoute();
        }
        this.askForSession();
    }

    askForSession() { this.#streaming.askForSession(); }

    /** Another page of this browser has removed all data: requests the session again. */
    clearedElsewhere(owesLogout) {
        this.owesLogout = owesLogout;
        if (owesLogout && this.phase === "in") this.#leave();
        this.connection.session = null;
        this.askForSession();
    }

    sessionCame(session, now) {
        this.connection.reached();
        if (this.owesLogout) return this.#logOut(session);
        if (this.phase === "in" && this.email !== session.email) this.#clear(session.email);
        this.#enter(session, now);
    }

    /** The session is missing or has ended. */
    sessionEnded() {
        this.connection.reached();
        const isStored = this.owesLogout || this.phase === "starting";
        this.owesLogout = false;
        if (this.phase === "in") {
            this.#leave();
            return this.loginForms.ended("login", "Your session has ended. Log in again.");
        }
        this.phase = "login";
        this.#openRoute();
        if (isStored) this.#do({ do: "clear", owesLogout: false });
    }

    /** The request for the session failed. @param {boolean} isAnswer Whether the gateway answered. */
    sessionLost(isAnswer, now) {
        this.connection.missed(isAnswer);
        if (this.phase === "starting") this.phase = "login";
        this.#streaming.askLater(now);
    }

    /** The user has logged in or signed up. */
    loggedIn(session, now) {
        this.owesLogout = false;
        this.#clear(session.email);
        this.loginForms = this.#newLoginForms(session.email);
        this.#enter(session, now);
    }

    /** The user has a new password, and must log in with it. */
    passwordReset(email) {
        this.loginForms = this.#newLoginForms(email);
        this.loginForms.success = "Password changed. Log in with the new one.";
        this.#showList();
    }

    logoutAsked() {
        this.#abandoned = this.fleet.commands.requestIds;
        if (this.connection.session !== null) this.#logOut(this.connection.session);
        this.owesLogout = true;
        this.#leave();
    }

    /** @param {boolean} isLost Whether the log-out may not have reached the gateway. */
    logoutEnded(isLost, now) {
        if (isLost) return this.sessionLost(false, now);
        this.owesLogout = false;
        this.#abandoned = [];
        this.#do({ do: "clear", owesLogout: false });
    }

    // The connection.

    onlineChanged(isOnline, now) {
        if (!isOnline && this.connection.isLive) this.fleet.asOf = now;
        this.connection.isOnline = isOnline;
        if (isOnline && !this.connection.isLive) this.askForSession();
    }

    /**
     * @param {{isFresh: boolean}} event Whether the stream starts at the current position, not at the last
     *     one.
     */
    streamOpened(event, now) {
        if (this.phase !== "in") return;
        this.connection.opened(now);
        this.fleet.streamOpened(event, now);
        this.#openServices(this.route);
    }

    /** @param {{isOver: boolean}} event Whether the browser will not reconnect. */
    streamBroke({ isOver }, now) {
        if (this.phase !== "in") return;
        if (this.connection.isLive) this.fleet.asOf = now;
        this.#streaming.broke({ isOver }, now);
    }

    /** A message of the stream arrived, such as a heartbeat. */
    messageReceived(now) {
        if (this.connection.stream === "open") this.fleet.asOf = now;
        this.connection.received(now);
    }

    controllerChanged(isConnected) { this.connection.hasController = isConnected; }

    shownChanged(isShown, now) {
        if (this.connection.isLive) this.fleet.asOf = now;
        this.#streaming.shown(isShown, now);
    }

    // The person, and time.

    routed(route) {
        const isFurther = this.phase === "login" && isOnwards(this.route, route);
        // Without a connection, the address does not lead to a deeper screen either.
        if (isFurther && this.connectionState !== "established") {
            return this.#do({ do: "route", route: this.route });
        }
        if (stepOf(route) !== stepOf(this.route)) this.loginForms.opened();
        this.route = route;
        this.fleet.bulletin.hide();
        this.#openRoute();
    }

    /** Performs the effects that are due; called about twice a second. */
    ticked(now) {
        const wasLive = this.connection.isLive;
        this.#streaming.rehearse(now);
        if (wasLive && !this.connection.isLive) this.fleet.asOf = now;
        this.notices.expire(now);
        for (const part of [this.fleet, this.loginForms, ...Object.values(this.services)]) part.ticked?.(now);
        this.#streaming.ticked(now);
        if (this.connection.isShown && !this.#streaming.isResuming(now)) {
            this.popup.follow(this.connectionState, now);
        }
    }

    #do(effect) {
        this.popup.performed(effect.do);
        this.#effects.push(effect);
    }

    #begin() {
        const perform = (effect) => this.#do(effect);
        this.fleet = new Fleet(this.connection, this.notices, perform);
        const parts = { connection: this.connection, notices: this.notices, perform, query: this.#query };
        const served = this.#features.filter(({ service }) => service !== undefined);
        this.services = Object.fromEntries(served.map(({ name, service }) => [name, service(parts)]));
    }

    #newLoginForms(email) {
        return new LoginForms({
            isConnected: () => this.phase === "login" && this.connectionState === "established",
            perform: (effect) => this.#do(effect),
            lost: (now) => this.sessionLost(false, now),
            sent: (now) => this.popup.follow(this.connectionState, now),
        }, email);
    }

    #enter(session, now) {
        Object.assign(this, { phase: "in", email: session.email });
        this.connection.session = session;
        this.#openRoute();
        this.#streaming.entered(now);
    }

    #logOut({ csrf }) { this.#do({ do: "logout", csrf, requestIds: this.#abandoned }); }

    #leave() {
        this.#clear();
        this.phase = "login";
        this.#showList();
    }

    #showList() {
        this.route = LIST;
        this.#do({ do: "route", route: LIST });
    }

    /** Removes all data of the account that was logged in, also in the browser. */
    #clear(spared = null) {
        this.email = "";
        this.loginForms = this.#newLoginForms();
        this.notices.clear();
        this.#begin();
        this.#streaming.clear();
        this.#do({ do: "clear", owesLogout: this.owesLogout, spared });
    }

    #openRoute() {
        const isLoginForm = stepOf(this.route) !== "login";
        if (isLoginForm && this.phase === "login") this.#do({ do: "features" });
        if (isLoginForm && this.phase === "in") this.#showList();
        const route = this.phase === "in" ? this.route : LIST;
        if (route.screen === "device") this.fleet.past.open(route.id);
        else this.fleet.past.close();
        this.#openServices(route);
    }

    #openServices(route) {
        for (const service of Object.values(this.services)) service.opened(route);
    }
}
