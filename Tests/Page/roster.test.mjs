import assert from "node:assert/strict";
import { test } from "node:test";

import { intervalIn, RETRIES, Roster, USUAL_INTERVAL } from "../../Sources/gateway/Page/duty/roster.js";
import { storedRosterFrom, rosterFrom } from "../../Sources/gateway/Page/duty/rosterwire.js";
import { dutyView, LISTED_AT_MOST, rosterView } from "../../Sources/gateway/Page/duty/rosterview.js";
import { nextDuty, onDuty, upcoming } from "../../Sources/gateway/Page/duty/shifts.js";
import { deviceView } from "../../Sources/gateway/Page/device/deviceview.js";
import { listView } from "../../Sources/gateway/Page/list/listview.js";
import { outcome, Page, request, row, SESSION, storage, storeIn } from "./samples.mjs";

/** Shifts written as `Kari 10-20`, in seconds after the page's start; an address is also the email. */
function plan(...texts) {
    return texts.map((text) => {
        const [who, from, to] = text.split(/[ -]/);
        const at = (text) => 1_000_000 + Number(text) * 1_000;
        return { who, email: who.includes("@") ? who : "", from: at(from), to: at(to) };
    }).sort((one, other) => one.from - other.from || one.to - other.to);
}

function rosterOf(shifts, other = {}) {
    return { version: 1, name: "", message: "", isEnforced: false, shiftCount: shifts.length, shifts, ...other };
}

/** A page that has requested the roster and received this one; null: nothing yet. */
function pageWith(roster) {
    const page = Page.live([row("1")]);
    if (roster !== null) page.roster.came(roster);
    return page;
}

const fail = (page, text = "No answer from the gateway.") => page.roster.failed(text);
const asks = (effects) => effects.filter((effect) => effect.do === "roster").length;
const duty = (page) => dutyView(page.model, page.now);
const users = (page) => duty(page).users.map(({ who }) => who);

test("a person is on duty from the beginning of a shift until before its end", () => {
    const shifts = plan("Per 30-50", "Kari 10-20", "Kari 60-70", "Ola 20-40");
    const cases = [
        [9, []], [10, ["Kari"]], [19, ["Kari"]], [20, ["Ola"]], [29, ["Ola"]], [30, ["Ola", "Per"]],
        [39, ["Ola", "Per"]], [40, ["Per"]], [50, []], [60, ["Kari"]], [70, []],
    ];
    for (const [second, who] of cases) {
        assert.deepEqual(onDuty(shifts, 1_000_000 + second * 1_000).map((one) => one.who), who, second);
    }
});

test("a person with several shifts is listed once, with the one that ends last", () => {
    const shifts = plan("Kari 10-20", "Kari 12-40", "Kari 15-18", "Ola 5-16");
    const present = onDuty(shifts, 1_015_000);
    assert.deepEqual(present.map(({ who, to }) => [who, to]), [["Ola", 1_016_000], ["Kari", 1_040_000]]);
    const same = [{ who: "Kari", email: "k@x", from: 0, to: 10 }, { who: "K.", email: "k@x", from: 0, to: 20 }];
    assert.deepEqual(onDuty(same, 5).map(({ who }) => who), ["K."]);
});

test("the next shift and the upcoming shifts follow from the plan", () => {
    const shifts = plan("Kari 10-20", "Ola 30-40");
    const cases = [[0, 10], [10, 10], [15, 15], [20, 30], [40, null]];
    for (const [second, next] of cases) {
        const expected = next === null ? null : 1_000_000 + next * 1_000;
        assert.equal(nextDuty(shifts, 1_000_000 + second * 1_000), expected, second);
    }
    assert.deepEqual(upcoming(shifts, 1_010_000).map(({ who }) => who), ["Ola"]);
    assert.equal(nextDuty([], 0), null);
});

test("the roster is requested when the page is live, every 500 s, and on request", () => {
    const page = new Page();
    page.start();
    page.event.sessionCame(SESSION);
    assert.equal(asks(page.event.streamOpened({ isFresh: true })), 1);
    page.roster.came(rosterOf([]));
    page.event.messageReceived();
    assert.equal(asks(page.event.streamOpened({ isFresh: false })), 0);
    assert.equal(asks(page.wait(USUAL_INTERVAL - 1_000)), 0);
    assert.equal(asks(page.wait(1_000)), 1);
    page.roster.came(rosterOf([]));
    assert.equal(asks(page.roster.refreshAsked()), 1);
});

test("a request for the roster during another one is sent after it", () => {
    const page = pageWith(rosterOf([]));
    const want = () => asks(page.roster.refreshAsked());
    assert.deepEqual([want(), want(), want()], [1, 0, 0]);
    assert.equal(asks(page.roster.came(rosterOf([]))), 1);
    assert.equal(asks(page.roster.came(rosterOf(plan("Kari 0-9000")))), 0);
    assert.deepEqual(users(page), ["Kari"]);
    assert.equal(asks(page.wait(USUAL_INTERVAL - 1_000)), 0);
    assert.deepEqual([asks(page.wait(1_000)), want()], [1, 0]);
    fail(page);
    assert.equal(asks(page.wait(RETRIES[0])), 1, "the retry is current");
    assert.equal(asks(page.roster.came(rosterOf([]))), 0);
});

test("a failed roster request has three retries at growing intervals before the error is shown", () => {
    const page = pageWith(rosterOf(plan("Kari 0-9000"), { message: "Mind the step." }));
    page.roster.refreshAsked();
    for (const pause of RETRIES) {
        fail(page);
        assert.equal(duty(page).error, "");
        assert.equal(asks(page.wait(pause - 500)), 0);
        assert.equal(asks(page.wait(500)), 1);
    }
    fail(page, "No answer from the gateway.");
    assert.match(duty(page).error, /^Couldn’t load the roster: no answer from the gateway\. Last updated /);
    assert.deepEqual(users(page), ["Kari"]);
    assert.equal(duty(page).message, "Mind the step.");
    assert.equal(asks(page.wait(USUAL_INTERVAL - 500)), 0);
    assert.equal(asks(page.wait(500)), 1);
    page.roster.came(rosterOf(plan("Ola 0-9000")));
    assert.equal(duty(page).error, "");
});

test("a roster that was never loaded is reported on its screen, and at the top after a failure", () => {
    const page = pageWith(null);
    page.event.routed({ screen: "roster" });
    assert.equal(duty(page), null);
    assert.equal(rosterView(page.model, page.now).nothing, "Loading…");
    for (let times = 0; times <= RETRIES.length; times += 1) {
        fail(page, "no");
        page.wait(RETRIES[times] ?? 0);
    }
    assert.equal(duty(page).error, "Couldn’t load the roster: no.");
    page.event.onlineChanged(false);
    assert.match(rosterView(page.model, page.now).nothing, /hasn’t been loaded on this device/);
});

test("the users on duty change when a shift begins or ends", () => {
    const page = pageWith(rosterOf(plan("Kari 0-10", "Ola 10-20", "Per 30-40")));
    assert.deepEqual(users(page), ["Kari"]);
    page.wait(10_000);
    assert.deepEqual(users(page), ["Ola"]);
    page.wait(10_000);
    assert.deepEqual([duty(page).isStaffed, duty(page).unstaffedUntil], [false, 1_030_000]);
    page.wait(30_000);
    assert.deepEqual([duty(page).isStaffed, duty(page).unstaffedUntil], [false, null]);
});

test("an empty roster shows nothing at the top, and a roster without shifts only its message", () => {
    assert.equal(duty(pageWith(rosterOf([]))), null);
    const view = duty(pageWith(rosterOf([], { message: "Mind the step." })));
    assert.deepEqual([view.message, view.hasShifts], ["Mind the step.", false]);
});

test("known shifts in the far future are not reported as missing", () => {
    const page = pageWith(rosterOf([], { shiftCount: 3 }));
    assert.equal(rosterView(page.model, page.now).nothing, "No shift starts within the next 31 days.");
    const { isStaffed, hasShifts, unstaffedUntil } = duty(page);
    assert.deepEqual([isStaffed, hasShifts, unstaffedUntil], [false, true, null]);
    const empty = pageWith(rosterOf([]));
    assert.match(rosterView(empty.model, empty.now).nothing, /No upcoming shifts\. Owners can import them/);
});

test("the roster screen lists a bounded number of upcoming shifts, and the rule", () => {
    const many = Array.from({ length: LISTED_AT_MOST + 7 }, (_, n) => `P${n} ${n + 1}-${n + 2}`);
    const page = pageWith(rosterOf(plan("Kari 0-10", ...many), { isEnforced: true, name: "Hotel" }));
    const view = rosterView(page.model, page.now);
    assert.deepEqual([view.rows.length, view.rows[0].who, view.more], [LISTED_AT_MOST, "P0", "and 7 more"]);
    assert.equal(view.name, "Hotel");
    assert.match(view.rule, /Only owners and people on duty/);
    assert.equal(rosterView(pageWith(rosterOf([])).model, 0).rule, "");
});

test("an invisible name is replaced by a placeholder", () => {
    const page = pageWith(rosterOf([{ who: "\u200b", email: "", from: 0, to: 9e12 }]));
    assert.deepEqual(users(page), ["Unnamed"]);
});

test("the roster is stored, shown first at the next start, and deleted with the session", () => {
    const place = storage();
    const store = storeIn(place);
    const page = Page.live([row("1")]);
    const effects = page.roster.came(rosterOf(plan("Kari 0-9000")));
    assert.deepEqual(effects, [{ do: "storeService", service: "roster" }]);
    store.storeService("roster", SESSION.email, page.model.services.roster.dataToStore());
    const later = new Page();
    later.now = page.now + 60_000;
    later.start({ services: store.services() });
    assert.deepEqual(users(later), ["Kari"]);
    assert.match(rosterView(later.model, later.now).connection.detail, /No connection\. Last updated 1 min/);
    later.event.sessionCame({ ...SESSION, email: "eve@sensibus.local" });
    assert.equal(later.model.services.roster.known, null);
    store.clear(false);
    assert.equal(place.length, 0);
});

test("the gateway's roster is validated before it is used", () => {
    for (const value of [null, 7, {}, { version: 1 }, { version: -1, shifts: [] }]) {
        assert.equal(rosterFrom(value), null);
    }
    const shifts = [
        { who: "Ola", email: null, fromMs: 20, toMs: 30 }, { who: "Kari", email: "k@x", fromMs: 10, toMs: 20 },
        { who: "never", fromMs: 20, toMs: 20 }, { who: "no time", fromMs: "10", toMs: 20 }, null, 7,
    ];
    const roster = rosterFrom({ version: 2, name: 7, message: "Hello", isEnforced: "yes", shifts });
    assert.deepEqual(roster, {
        version: 2, name: "", message: "Hello", isEnforced: false, shiftCount: 2, shifts: [
            { who: "Kari", email: "k@x", from: 10, to: 20 }, { who: "Ola", email: "", from: 20, to: 30 },
        ],
    });
    assert.deepEqual(storedRosterFrom(JSON.parse(JSON.stringify({ at: 5, roster }))), { at: 5, roster });
    for (const value of [null, { roster }, { at: 5 }]) assert.equal(storedRosterFrom(value), null);
});

test("an address can set the roster's interval", () => {
    assert.equal(intervalIn("?roster=60"), 60_000);
    for (const query of ["", "?roster=4", "?roster=86401", "?roster=-60", "?roster=1e3", "?roster="]) {
        assert.equal(intervalIn(query), USUAL_INTERVAL, query);
    }
    const connection = { isLive: true, session: SESSION };
    const roster = new Roster(connection, () => {}, 60_000);
    roster.opened();
    roster.came(rosterOf([]), 0);
    roster.ticked(59_999);
    assert.equal(roster.isLoading, false);
    roster.ticked(60_000);
    assert.equal(roster.isLoading, true);
});

test("switches of an off-duty member are disabled with the reason, and others are enabled", () => {
    const member = { ...SESSION, role: "member", email: "kari@x" };
    const shifts = plan("ola@x 0-10000", "kari@x 100-200");
    const OFF_DUTY = /You’re not on duty\. Only people on duty and owners can switch devices\./;
    const pageOf = (session, other) => {
        const page = Page.live([row("1")], session);
        page.roster.came(rosterOf(shifts, other));
        return page;
    };
    const power = (page) => page.rowView("1").power;
    const writeHref = (page) => {
        page.event.routed({ screen: "device", id: "1" });
        return deviceView(page.model, page.now).writeHref;
    };
    const page = pageOf(member, { isEnforced: true });
    assert.match(power(page).why, OFF_DUTY);
    assert.deepEqual(page.toggle("1", request(1)), []);
    assert.equal(page.model.services.queues.canSend, false);
    assert.match(listView(page.model, page.now).hint, OFF_DUTY, "the list shows the reason, too");
    assert.notEqual(writeHref(page), null, "members write in the logbook, on duty or not");
    page.wait(100_000);
    assert.doesNotMatch(power(page).why, OFF_DUTY);
    assert.equal(page.toggle("1", request(2)).at(-1).do, "toggle", "the shift has begun");
    page.finish(outcome(request(2), "applied"));
    page.wait(100_000);
    assert.match(power(page).why, OFF_DUTY, "and has ended");
    for (const other of [pageOf(member, {}), pageOf(SESSION, { isEnforced: true })]) {
        assert.doesNotMatch(power(other).why, OFF_DUTY);
        assert.equal(other.toggle("1", request(1)).at(-1).do, "toggle");
    }
    const empty = Page.live([row("1")], member);
    empty.roster.came(rosterOf([], { isEnforced: true }));
    assert.match(power(empty).why, OFF_DUTY, "without a roster no one is on duty");
});
