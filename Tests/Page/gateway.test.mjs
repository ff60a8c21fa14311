import assert from "node:assert/strict";
import { test } from "node:test";

import { failureOf, Gateway, LoggedOut, Lost, Refused } from "../../Sources/gateway/Page/common/gateway.js";

/** A browser's parser, as far as these texts need one: tags are not text. */
globalThis.DOMParser = class {
    parseFromString(html) {
        return { querySelectorAll: () => [], body: { textContent: html.replace(/<[^>]*>/g, " ") } };
    }
};

const ask = () => new Gateway(() => "c5rf").get("/page/devices", (value) => value);

/** The page's error for such an answer. */
async function errorOf(status, type, body) {
    globalThis.fetch = async () => new Response(body, { status, headers: { "Content-Type": type } });
    return ask().then(() => assert.fail("that is no answer"), (error) => error);
}

test("the reason of a refusal is read from a page and from JSON", async () => {
    const page = await errorOf(403, "text/html; charset=utf-8", "<h>403</h><p>Wrong <b>password</b>.</p>");
    assert.equal(page.message, "403 Wrong password .");
    for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON"]) {
        const body = JSON.stringify({ status: "failed", message: "not <b>now</b>,\n  & not here" });
        const error = await errorOf(400, type, body);
        assert.ok(error instanceof Refused);
        assert.equal(error.message, "not <b>now</b>, & not here", "it is shown as text");
    }
    assert.ok(await errorOf(401, "application/json", "{}") instanceof LoggedOut);
    const lost = await errorOf(503, "application/json", '{"message":"no controller"}');
    assert.deepEqual([lost instanceof Lost, lost.message], [true, "no controller"]);
    const long = await errorOf(400, "application/json", JSON.stringify({ message: "x".repeat(9_000) }));
    assert.equal(long.message.length, 300);
});

test("without a readable reason, the status is shown", async () => {
    for (const body of ["", "{", "null", "7", "{}", '{"error":"x"}', '{"message":{"a":7}}']) {
        const error = await errorOf(400, "application/json", body);
        assert.equal(error.message, "The gateway answered with status 400.", body);
    }
    assert.equal((await errorOf(404, "text/html", "")).message, "The gateway answered with status 404.");
});

test("an error of the gateway is a failure, and a refusal or a lost answer is not", async () => {
    assert.equal(failureOf(await errorOf(500, "text/html", "<p>The disk is full.</p>")), "failed");
    assert.equal(failureOf(await errorOf(503, "text/html", "<p>busy</p>")), "failed");
    assert.equal(failureOf(await errorOf(403, "text/html", "<p>no</p>")), "refused");
    assert.equal(failureOf(await errorOf(404, "text/html", "<p>no</p>")), "missing");
    globalThis.fetch = async () => { throw new TypeError("Failed to fetch"); };
    const lost = await ask().then(() => assert.fail("that is no answer"), (error) => error);
    assert.deepEqual([failureOf(lost), lost.message], ["lost", "No answer from the gateway."]);
});

/** A gateway that answers when the test says so, and records the order of requests. */
function slowGateway() {
    const asked = [];
    const waiting = [];
    globalThis.fetch = (path, { method, signal }) => new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        asked.push(`${method} ${path}`);
        signal.addEventListener("abort", () => reject(signal.reason));
        waiting.push(() => resolve(new Response("{}", { headers: { "Content-Type": "application/json" } })));
    });
    return { asked, answer: () => waiting.splice(0).forEach((one) => one()) };
}

const settled = () => new Promise((done) => setImmediate(done));

test("a logout cancels pending toggles before it ends the session", async () => {
    const { asked, answer } = slowGateway();
    const ended = new Gateway(() => "c5rf").logOut("c5rf", ["one", "two"]);
    await settled();
    assert.deepEqual(asked, ["POST /page/requests/one/cancel", "POST /page/requests/two/cancel"]);
    answer();
    await settled();
    assert.deepEqual(asked.slice(2), ["DELETE /page/session"]);
    answer();
    await ended;
});

test("a toggle that is queued at a logout is not sent", async () => {
    const { asked } = slowGateway();
    const gateway = new Gateway(() => "c5rf");
    const toggle = (id) => gateway.send("POST", `/page/devices/${id}/toggle`, { waitsForTurn: true }).catch((error) => error);
    const ends = ["1", "2", "3", "4", "5", "6"].map(toggle);
    await settled();
    assert.equal(asked.length, 4);
    gateway.abandon();
    for (const end of await Promise.all(ends)) assert.ok(end instanceof Lost);
    assert.deepEqual(asked.filter((one) => /\/(5|6)\//.test(one)), []);
});
