import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../Sources/gateway/Page/", import.meta.url);
const textOf = (path) => readFileSync(new URL(path, FOLDER), "utf8");
/** Each file with its path in the folder; the folders below it are the screens'. */
const files = readdirSync(FOLDER, { recursive: true }).filter((path) => path.includes("."))
    .map((path) => ({ path, name: path.split("/").at(-1), lines: textOf(path).split("\n") }));
/** Modules of pure values: neither a document nor a connection, a clock or chance. */
const PURE = [
    "allowed", "bulletin", "coasts", "commands", "connection", "desk", "drafts", "fleet", "geography",
    "listing", "logbook", "logbookview", "model", "notices", "past", "places", "plot", "popup", "rehearsal", "replies", "requestid",
    "roster", "rosterview", "rosterwire", "route", "sequences", "sequencesview", "sequencewire", "shifts",
    "sites", "sitesview", "sitewire", "streaming", "table", "viewmodel", "wayin", "wire", "words",
].map((name) => `${name}.js`);

/** Each line in which something is found, as `name:line: what`. */
function findings(names, pattern) {
    return files.filter(({ name }) => names(name)).flatMap(({ name, lines }) =>
        lines.flatMap((line, index) => pattern.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : []));
}

const isScript = (name) => name.endsWith(".js");

test("the page is made of what is expected, in files short enough to be read", () => {
    assert.ok(files.length > 20);
    for (const name of PURE) assert.ok(files.some((file) => file.name === name), name);
    for (const { name, lines } of files) assert.ok(!isScript(name) || lines.length <= 300, name);
    assert.deepEqual(findings(() => true, /^.{111,}$/), []);
});

test("the gateway serves each file", () => {
    const entries = textOf("../Routes/PageFiles.swift").matchAll(/"([^"]+)": PackageResources\./g);
    const served = [...entries].map(([, name]) => name);
    assert.deepEqual(served, files.map(({ path }) => path).sort());
});

test("no HTML is made from text", () => {
    const makers = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|setHTML/;
    assert.deepEqual(findings(isScript, makers), []);
});

test("no code and no style that the policy forbids", () => {
    const code = /\beval\(|new Function|setAttribute\("style"|javascript:|\bon[a-z]+=/;
    assert.deepEqual(findings(isScript, code), []);
    const inline = /<style|style=|\son[a-z]+=|<script(?![^>]*src=)/;
    assert.deepEqual(findings((name) => name.endsWith(".html"), inline), []);
});

test("nothing is fetched from elsewhere; one link leads there, which a person clicks", () => {
    const elsewhere = /https?:\/\/(?!www\.w3\.org\/(2000\/svg|1999\/xhtml))|@import|url\(/;
    assert.deepEqual(findings(() => true, elsewhere).map((found) => found.replace(/:\d+: .*= /, " ")), [
        'sitesview.js "https://www.openstreetmap.org/?mlat=";',
    ]);
});

test("pure modules import pure modules, and have no clock, chance, document or connection", () => {
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
