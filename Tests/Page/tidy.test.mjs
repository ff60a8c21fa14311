import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../Sources/gateway/Page/", import.meta.url);
const textOf = (path) => readFileSync(new URL(path, FOLDER), "utf8");
/** Each file with its path in the folder; each subfolder has a screen's files. */
const files = readdirSync(FOLDER, { recursive: true }).filter((path) => path.includes("."))
    .map((path) => ({ path, name: path.split("/").at(-1), lines: textOf(path).split("\n") }));
/** Modules of pure values, without document, connection, clock and randomness. */
const PURE = [
    "allowed", "bulletin", "coasts", "commands", "condition", "connection", "drafts", "fleet", "geography", "listing",
    "logbook", "logbookview", "loginforms", "model", "notices", "past", "places", "plot", "popup",
    "rehearsal", "replies", "requestid", "roster", "rosterview", "rosterwire", "route", "queues",
    "queuesview", "queuewire", "selector", "services", "shifts", "sites", "sitesview", "sitewire", "streaming",
    "table", "texts", "viewmodel", "wire",
].map((name) => `${name}.js`);

/** Each line with a finding, as `name:line: what`. */
function findings(names, pattern) {
    return files.filter(({ name }) => names(name)).flatMap(({ name, lines }) =>
        lines.flatMap((line, index) => pattern.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : []));
}

const isScript = (name) => name.endsWith(".js");

test("the page has the expected files, with limited lengths", () => {
    assert.ok(files.length > 20);
    for (const name of PURE) assert.ok(files.some((file) => file.name === name), name);
    for (const { name, lines } of files) assert.ok(!isScript(name) || lines.length <= 300, name);
    assert.deepEqual(findings(() => true, /^.{111,}$/), []);
});

test("HTML is not made from text", () => {
    const makers = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|setHTML/;
    assert.deepEqual(findings(isScript, makers), []);
});

test("the code and styles comply with the content security policy", () => {
    const code = /\beval\(|new Function|setAttribute\("style"|javascript:|\bon[a-z]+=/;
    assert.deepEqual(findings(isScript, code), []);
    const inline = /<style|style=|\son[a-z]+=|<script(?![^>]*src=)/;
    assert.deepEqual(findings((name) => name.endsWith(".html"), inline), []);
});

test("nothing is fetched from other origins, and the only external link needs a click", () => {
    const elsewhere = /https?:\/\/(?!www\.w3\.org\/(2000\/svg|1999\/xhtml))|@import|url\(/;
    assert.deepEqual(findings(() => true, elsewhere).map((found) => found.replace(/:\d+: .*= /, " ")), [
        'sitesview.js "https://www.openstreetmap.org/?mlat=";',
    ]);
});

test("pure modules import pure modules only, and use no clock, randomness, document or connection", () => {
    const banned = [
        /Date\.now|new Date|setTimeout|setInterval/, /Math\.random|crypto/, /document\.|window\.|navigator/,
        /fetch\(|EventSource|localStorage/,
    ];
    for (const one of banned) assert.deepEqual(findings((name) => PURE.includes(name), one), []);
    for (const { name, lines } of files.filter((file) => PURE.includes(file.name))) {
        for (const line of lines) {
            const imported = /^import .* from "\.{1,2}\/(?:.*\/)?(.*)";$/.exec(line)?.[1];
            assert.ok(imported === undefined || PURE.includes(imported), `${name} imports ${imported}`);
        }
    }
});
