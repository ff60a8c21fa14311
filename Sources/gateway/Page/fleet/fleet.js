// The devices that the page shows, and the requests for them. Pure: times and IDs are parameters, effects are
// results.

import { label, onlyMeasures } from "../common/texts.js";
import { Bulletin } from "./bulletin.js";
import { Commands, outcomeNotice } from "./commands.js";
import { Listing } from "./listing.js";
import { Past } from "./past.js";
import { Replies } from "./replies.js";
import { DeviceTable } from "./table.js";

/** Milliseconds after which a list is fetched again that failed or was incomplete. */
const LIST_AGAIN_AFTER = 3_000;
/** Milliseconds after which a changed list is stored again. */
export const STORED_AFTER = 30_000;

export class Fleet {
    devices = new DeviceTable();
    /** Whether there is a list, which may be empty. */
    hasList = false;
    /** When the list was last known to be current, in milliseconds since 1970. */
    asOf = 0;
    /** Whether the controller has just started, so that devices may be missing. */
    isSettling = false;
    /** Whether the user has requested the list and waits for it. */
    isRefreshing = false;
    commands;
    past;
    bulletin = new Bulletin();

    #connection;
    #notices;
    #do;
    #listing = new Listing();
    #replies = new Replies();
    #listAgainAt = null;
    #storedAt = 0;
    #isStored = true;

    /**
     * @param {import("../common/connection.js").Connection} connection
     * @param {import("../common/notices.js").Notices} notices
     * @param {(effect: {do: string}) => void} perform Performs an effect.
     */
    constructor(connection, notices, perform) {
        this.#connection = connection;
        this.#notices = notices;
        this.#do = perform;
        this.past = new Past(connection, perform, (id) => this.devices.row(id));
        this.commands = new Commands({
            store: (command) => perform({ do: "storeCommand", command }),
            drop: (requestId) => perform({ do: "dropCommand", requestId }),
        });
    }

    canToggle(row) {
        return this.#connection.isLive && this.#connection.hasController && this.#connection.maySwitchNow
            && row?.presence === "online" && row.incarnation !== "" && !onlyMeasures(row)
            && this.commands.of(row.id) === undefined;
    }

    /** Whether the pending toggle of a device can be cancelled now. */
    canCancel(id) { return this.commands.of(id)?.cancel === "no" && this.#connection.isLive; }

    // The list.

    restore({ devices, at }) {
        this.devices.replace(devices);
        this.hasList = true;
        this.asOf = at;
    }

    /** Requests the list, at a position in the stream or later. */
    list(position = null) {
        this.#listAgainAt = null;
        if (this.#listing.isOnItsWay) return this.#listing.want(position);
        this.#listing.begin();
        this.#do({ do: "list" });
    }

    /** @param {{position, isSettling: boolean, devices}} list */
    listed(list, now) {
        const { later, isTooEarly } = this.#listing.came(list.position);
        Object.assign(this, { hasList: true, isSettling: list.isSettling, isRefreshing: false, asOf: now });
        this.#listAgainAt = list.isSettling ? now + LIST_AGAIN_AFTER : null;
        this.devices.replace(list.devices.map((row) => this.#replies.newest(row, now)));
        for (const update of later) this.#apply(update, now);
        const shown = this.devices.row(this.past.device);
        if (shown !== undefined) this.past.follow(shown, now);
        this.#askFilter();
        this.store(now);
        if (isTooEarly) this.list();
    }

    /** The user has typed into the search field. */
    filterTyped(text) {
        this.devices.show(text);
        this.#askFilter();
    }

    /** The gateway has answered a question of the filter; null: it has not. */
    filterAnswered(question, answer) {
        this.devices.answered(question, answer);
        if (answer !== null) this.#askFilter();
    }

    listFailed(message, now) {
        if (this.isRefreshing) this.#notices.add("bad", "", message, now);
        this.isRefreshing = false;
        this.#listing.stop();
        this.#listAgainAt = now + LIST_AGAIN_AFTER;
    }

    refreshAsked() {
        if (!this.#connection.isLive || this.isRefreshing) return;
        this.isRefreshing = true;
        this.list();
    }

    /** Applies changed rows and removed devices, at a position in the stream. */
    changed({ position, devices = [], ids = [] }, now) {
        const update = { position, devices, ids };
        this.#listing.record(update);
        this.#apply(update, now);
        this.#askFilter();
        this.asOf = now;
        this.#isStored = false;
    }

    /** Stores the list, to be shown without a connection. */
    store(now) {
        if (!this.hasList || this.#connection.session === null) return;
        this.#storedAt = now;
        this.#isStored = true;
        this.#do({ do: "store", email: this.#connection.session.email, at: now });
    }

    // Requests.

    /** A device's switch is pressed: cancels the pending toggle, or sends one. */
    pressed(id, requestId, now) {
        if (this.commands.of(id) === undefined) this.toggleAsked(id, requestId, now);
        else this.cancelAsked(id);
    }

    /** @param {string} requestId A new ID for this toggle. */
    toggleAsked(id, requestId, now) {
        const row = this.devices.row(id);
        if (!this.canToggle(row)) return;
        const command = this.commands.begin(row, requestId, now);
        if (command !== null) return this.#ask(command);
        this.#notices.add("bad", label(row), "Too many requests at once. Wait a moment.", now);
    }

    /**
     * A request has ended, according to an answer or to the stream, whichever comes first.
     *
     * After `unknown` the page requests the outcome again; after `refused` too, if another copy may arrive.
     */
    outcomeCame(outcome, now) {
        if (outcome.kind === "unknown") return this.answerLost(outcome.requestId, now);
        const command = outcome.kind === "refused"
            ? this.commands.refused(outcome.requestId, outcome.message, now)
            : this.commands.finish(outcome.requestId);
        if (command === null && outcome.kind === "refused") return this.#repeat(now);
        const device = outcome.device ?? command?.device ?? null;
        this.past.record({ ...outcome, device, at: outcome.at || now });
        this.#follow(device, outcome.state ?? null, command, now);
        if (command === null) return;
        const { tone, text } = outcomeNotice(outcome, command.cancel !== "no");
        this.#notices.add(tone, this.#nameOf(command.device), text, now);
    }

    /** The controller has not seen a request whose answer was lost. */
    outcomeUnseen(requestId, now) {
        this.commands.unseen(requestId, now);
        this.#repeat(now);
    }

    answerLost(requestId, now) {
        const command = this.commands.lost(requestId, now);
        if (command !== null) this.#giveUp(command, now);
    }

    cancelAsked(id) {
        if (!this.canCancel(id)) return;
        const command = this.commands.of(id);
        this.commands.cancelled(command);
        this.#do({ do: "cancel", requestId: command.requestId });
    }

    /**
     * A cancel was answered.
     *
     * @param {{requestId: string, kind: string, message: string, outcome?}} reply Its kind is `lost` if no
     *     answer arrived; `outcome` is that of the request if the cancel came too late.
     */
    cancelAnswered({ requestId, kind, message, outcome = null }, now) {
        const command = this.commands.withID(requestId);
        if (command === undefined) return;
        if (outcome !== null) return this.outcomeCame(outcome, now);
        if (command.asks === "cancel") return this.#cancelSettled(command, kind, message, now);
        if (kind === "cancelled") this.commands.finish(requestId);
        else command.cancel = kind === "pending" ? "pending" : "no";
        this.#notices.add("plain", this.#nameOf(command.device), message, now);
    }

    // The connection, and time.

    /** The stream was opened; if it does not continue at the last position, the list is fetched. */
    streamOpened({ isFresh }, now) {
        if (isFresh || !this.hasList) this.list();
        else this.asOf = now;
        this.commands.hurry(now);
        this.#repeat(now);
        this.past.load();
    }

    ticked(now) {
        this.#repeat(now);
        if (!this.#connection.isLive) return this.bulletin.hide();
        this.#askFilter();
        if (this.hasList) this.bulletin.ticked(() => this.#counts(), now);
        if (this.#listAgainAt !== null && this.#listAgainAt <= now) this.list();
        if (!this.#isStored && now - this.#storedAt >= STORED_AFTER) this.store(now);
    }

    #askFilter() {
        const { devices } = this;
        if (this.#connection.isLive) {
            const question = devices.filter.question();
            if (question !== null) this.#do({ do: "filter", question });
        } else if (devices.filter.isPending) {
            devices.answered(null, null);
        }
    }

    #counts() {
        const { devices } = this;
        return { online: devices.countOf((row) => row.presence === "online"), all: devices.size };
    }

    #apply({ devices, ids }, now) {
        this.#replaceRows(devices.map((row) => this.#replies.newest(row, now)), now);
        const removed = ids.map((id) => this.devices.row(id)).filter((row) => row !== undefined);
        for (const row of removed) this.bulletin.recordRemoval(row);
        this.devices.remove(ids);
        this.#replies.remove(ids);
    }

    #replaceRows(rows, now) {
        for (const row of rows) this.bulletin.recordChange(this.devices.row(row.id), row);
        this.devices.merge(rows);
        this.#isStored = false;
        for (const row of rows) this.past.follow(row, now);
    }

    /** A reply carried a device's state: the row shows it before the stream sends it. */
    #follow(device, state, command, now) {
        const row = this.devices.row(device);
        if (row === undefined || state === null) return;
        const newer = this.#replies.merge(row, state, command?.incarnation, now);
        if (newer !== null) this.#replaceRows([newer], now);
    }

    /** The cancel of a request was answered: the request is cancelled, or it has taken effect. */
    #cancelSettled({ device, requestId, refusal }, kind, message, now) {
        if (kind === "too-late" || kind === "pending") this.commands.arrived(requestId, now);
        if (kind === "too-late") return this.#repeat(now);
        if (kind !== "cancelled") return this.answerLost(requestId, now);
        this.commands.finish(requestId);
        this.#notices.add(refusal === null ? "plain" : "bad", this.#nameOf(device), refusal ?? message, now);
    }

    #ask({ asks, device, requestId, incarnation, version }) {
        if (asks === "toggle") this.#do({ do: "toggle", id: device, requestId, incarnation, version });
        else this.#do({ do: asks, requestId });
    }

    #repeat(now) {
        const { again, givenUp } = this.commands.due(now, this.#connection.canAsk);
        for (const command of again) this.#ask(command);
        for (const command of givenUp) this.#giveUp(command, now);
    }

    #giveUp(command, now) {
        const message = "No answer. We don’t know whether it switched.";
        this.#notices.add("bad", this.#nameOf(command.device), message, now);
    }

    #nameOf(id) {
        const row = this.devices.row(id);
        return row === undefined ? id : label(row);
    }
}
