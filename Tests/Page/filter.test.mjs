import assert from "node:assert/strict";
import { test } from "node:test";
import { filteredFrom } from "../../Sources/gateway/Page/fleet/fleetwire.js";
import { listView } from "../../Sources/gateway/Page/list/listview.js";
import { Page, position, row } from "./samples.mjs";

const DEVICES = [
    row("a", { name: "Attic (old)" }), row("b", { name: "Bedroom 1" }), row("c", { name: "Café", presence: "offline" }),
];
const view = (page) => listView(page.model, page.now);
const shown = (page) => view(page).ids.join("");
const questions = (effects) => effects.filter((one) => one.do === "filter").map((one) => one.question);

/** The questions after a text is typed. */
const type = (page, text) => questions(page.fleet.filterTyped(text));
/** The next questions after an answer: these devices are shown. */
const answer = (page, question, ids, problem = "") =>
    questions(page.fleet.filterAnswered(question, { shown: [...ids], problem }));
const fail = (page, question) => questions(page.fleet.filterAnswered(question, null));
const change = (page, number, devices) => questions(page.change(position(7, number), devices));

test("the gateway is asked which devices a text shows", () => {
    const page = Page.live(DEVICES);
    const [question] = type(page, "temperature > 26");
    assert.deepEqual(question, { text: "temperature > 26", ids: null });
    assert.equal(shown(page), "abc", "the former rows stay until it answers");
    answer(page, question, "ac");
    assert.equal(shown(page), "ac");
    assert.equal(view(page).summary, "2 of 3 devices");
    assert.deepEqual(type(page, " "), []);
    assert.equal(shown(page), "abc");
});

test("a part of a name or ID shows devices before the gateway answers", () => {
    const page = Page.live(DEVICES);
    for (const [text, ids] of [["BED", "b"], [" bedroom  1 ", "b"], ["cafe\u0301", "c"], ["C", "ac"]]) {
        type(page, text);
        assert.equal(shown(page), ids, text);
    }
});

test("a key that is typed while an answer is awaited is asked about next, and the first answer is ignored", () => {
    const page = Page.live(DEVICES);
    const [first] = type(page, "o");
    assert.deepEqual(type(page, "off"), []);
    assert.deepEqual(answer(page, first, "abc"), [{ text: "off", ids: null }]);
    assert.equal(shown(page), "ab", "the former rows");
    answer(page, { text: "off", ids: null }, "b");
    assert.equal(shown(page), "b");
});

test("changed devices are asked about, in one question after another", () => {
    const page = Page.live(DEVICES);
    answer(page, type(page, "offline")[0], "c");
    assert.deepEqual(change(page, 11, [row("a", { presence: "offline" })]), [{ text: "offline", ids: ["a"] }]);
    assert.deepEqual(change(page, 12, [row("b"), row("c")]), []);
    assert.deepEqual(change(page, 13, [row("b")]), []);
    assert.deepEqual(answer(page, { text: "offline", ids: ["a"] }, "a"), [{ text: "offline", ids: ["b", "c"] }]);
    assert.equal(shown(page), "ac");
    answer(page, { text: "offline", ids: ["b", "c"] }, "");
    assert.equal(shown(page), "a");
    assert.deepEqual(page.wait(5_000).filter((one) => one.do === "filter"), [], "nothing has changed");
});

test("after many changes or a new list, the gateway is asked about all devices", () => {
    const page = Page.live(DEVICES);
    answer(page, type(page, "offline")[0], "c");
    const many = Array.from({ length: 1_001 }, (_, number) => row(`x${number}`));
    assert.deepEqual(change(page, 11, many), [{ text: "offline", ids: null }]);
    answer(page, { text: "offline", ids: null }, "c");
    page.fleet.list();
    assert.deepEqual(questions(page.list(DEVICES, position(7, 12))), [{ text: "offline", ids: null }]);
});

test("rows without another answer are not rebuilt", () => {
    const page = Page.live(DEVICES);
    answer(page, type(page, "offline")[0], "c");
    const before = view(page).ids;
    const [question] = change(page, 11, [row("c", { name: "Café", temperature: 30 })]);
    assert.equal(view(page).ids, before);
    answer(page, question, "c");
    assert.equal(view(page).ids, before);
    answer(page, { text: "offline", ids: ["c"] }, "");
    assert.equal(shown(page), "");
});

test("a text that is no condition is a part of a name, and its error is shown if no name has it", () => {
    const page = Page.live(DEVICES);
    const problem = "column 7: unexpected “(”; allowed: and, or, or the end";
    answer(page, type(page, "attic (old)")[0], "a", problem);
    assert.deepEqual([shown(page), view(page).filterProblem], ["a", ""]);
    answer(page, type(page, "attic (new)")[0], "", problem);
    assert.deepEqual(
        [view(page).filterProblem, view(page).nothing], [`This isn’t a condition: ${problem}.`, "No devices match."]);
    type(page, "attic (new");
    assert.equal(view(page).filterProblem, `This isn’t a condition: ${problem}.`, "it stays until the next answer");
    type(page, "");
    assert.equal(view(page).filterProblem, "");
});

test("without a connection the text is a part of a name, and the page says so", () => {
    const page = Page.live(DEVICES);
    answer(page, type(page, "offline")[0], "c");
    page.event.onlineChanged(false);
    assert.equal(shown(page), "c", "the last answer is as true as the rows");
    assert.deepEqual(type(page, "bed"), []);
    assert.equal(shown(page), "b");
    assert.equal(view(page).summary, "1 of 3 devices · by name only, without a connection");
    assert.deepEqual(type(page, "on and"), []);
    assert.deepEqual([shown(page), view(page).nothing, view(page).filterProblem], ["", "No devices match.", ""]);
    page.event.onlineChanged(true);
    assert.deepEqual(questions(page.wait(500)), [{ text: "on and", ids: null }]);
});

test("a lost answer is asked for again", () => {
    const page = Page.live(DEVICES);
    const [question] = type(page, "offline");
    assert.deepEqual(fail(page, question), []);
    assert.equal(view(page).summary, "0 of 3 devices · by name only, without a connection");
    assert.deepEqual(questions(page.wait(500)), [question]);
    answer(page, question, "c");
    assert.equal(view(page).summary, "1 of 3 devices");
});

test("an answer is read from JSON", () => {
    assert.deepEqual(filteredFrom({ devices: ["a", 7, "../b"], problem: null }), { shown: ["a"], problem: "" });
    assert.deepEqual(filteredFrom({ devices: [], problem: "column 1: no" }), { shown: [], problem: "column 1: no" });
    for (const value of [null, 7, {}, { devices: 7 }]) assert.equal(filteredFrom(value), null);
});
