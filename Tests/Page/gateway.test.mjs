import assert from "node:assert/strict";
import { test } from "node:test";

import { Gateway, LoggedOut, Lost, Refused } from "../../Sources/gateway/Page/gateway.js";

/** A parser as a browser has it, as far as these texts need one: tags are no text. */
globalThis.DOMParser = class {
    parseFromString(html) {
        return { querySelectorAll: () => [], body: { textContent: html.replace(/<[^>]*>/g, " ") } };
    }
};

/** What the page is told of such an answer. */
async function told(status, type, body) {
    globalThis.fetch = async () => new Response(body, { status, headers: { "Content-Type": type } });
    return new Gateway().devices().then(() => assert.fail("that is no answer"), (error) => error);
}

test("the reason of a refusal is read out of a page and out of JSON", async () => {
    const page = await told(403, "text/html; charset=utf-8", "<h>403</h><p>Wrong <b>password</b>.</p>");
    assert.equal(page.message, "403 Wrong password .");
    for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON"]) {
        const body = JSON.stringify({ error: { message: "not <b>now</b>,\n  & not here" } });
        const error = await told(400, type, body);
        assert.ok(error instanceof Refused);
        assert.equal(error.message, "not <b>now</b>, & not here", "it is text, and shown as text");
    }
    assert.ok(await told(401, "application/json", "{}") instanceof LoggedOut);
    const lost = await told(503, "application/json", '{"error":{"message":"no controller"}}');
    assert.deepEqual([lost instanceof Lost, lost.message], [true, "no controller"]);
    const long = await told(400, "application/json", JSON.stringify({ error: { message: "x".repeat(9_000) } }));
    assert.equal(long.message.length, 300);
});

test("where there is no reason that can be read, the status is told", async () => {
    for (const body of ["", "{", "null", "7", "{}", '{"error":"x"}', '{"error":{"message":{"a":7}}}']) {
        const error = await told(400, "application/json", body);
        assert.equal(error.message, "the gateway answered with status 400", body);
    }
    assert.equal((await told(404, "text/html", "")).message, "the gateway answered with status 404");
});
