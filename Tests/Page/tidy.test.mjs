import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";

const FOLDER = new URL("../../Sources/gateway/Page/", import.meta.url);
const textOf = (path) => readFileSync(new URL(path, FOLDER), "utf8");
/** Each file with its path in the folder; each subfolder has a screen's files. */
const files = readdirSync(FOLDER, { recursive: true }).filter((path) => path.includes("."))
    .map((path) => ({ path, name: path.split("/").at(-1), lines: textOf(path).split("\n") }));
const modules = files.filter(({ path }) => path.endsWith(".js"));
/** Modules of pure values, without document, connection, clock and randomness; their first comment says so. */
const pure = modules.filter(({ lines }) => /\bPure[.:,]/.test(lines.slice(0, lines.indexOf("")).join(" ")));
/** The folders from the floor to the roof; `FEATURES` stands for every other folder. */
const FLOORS = ["common", "fleet", "FEATURES", "list", "shell", "."];

/** Each line with a finding, as `name:line: what`. */
function findings(some, pattern) {
    return some.flatMap(({ name, lines }) =>
        lines.flatMap((line, index) => pattern.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : []));
}

/** The paths of the modules that a module imports or, with `import(`, names in a comment. */
function importsOf({ path, lines }, pattern = /from "(\.[^"]+)"/g) {
    const all = [...lines.join("\n").matchAll(pattern)];
    return all.map(([, target]) => posix.normalize(posix.join(posix.dirname(path), target)));
}

test("the page has the expected files, with limited lengths", () => {
    assert.ok(pure.length > 20);
    for (const { name, lines } of modules) assert.ok(lines.length <= 300, name);
    assert.deepEqual(findings(files, /^.{111,}$/), []);
});

test("HTML is not made from text", () => {
    const makers = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|setHTML/;
    assert.deepEqual(findings(modules, makers), []);
});

test("the code and styles comply with the content security policy", () => {
    const code = /\beval\(|new Function|setAttribute\("style"|javascript:|\bon[a-z]+=/;
    assert.deepEqual(findings(modules, code), []);
    const inline = /<style|style=|\son[a-z]+=|<script(?![^>]*src=)/;
    assert.deepEqual(findings(files.filter(({ name }) => name.endsWith(".html")), inline), []);
});

test("nothing is fetched from other origins, and the only external link needs a click", () => {
    const elsewhere = /https?:\/\/(?!www\.w3\.org\/(2000\/svg|1999\/xhtml))|@import|url\(/;
    assert.deepEqual(findings(files, elsewhere).map((found) => found.replace(/:\d+: .*= /, " ")), [
        'sitesview.js "https://www.openstreetmap.org/?mlat=";',
    ]);
});

test("pure modules import pure modules only, and use no clock, randomness, document or connection", () => {
    const banned = [
        /Date\.now|new Date|setTimeout|setInterval/, /Math\.random|crypto/, /document\.|window\.|navigator/,
        /fetch\(|EventSource|localStorage/,
    ];
    for (const one of banned) assert.deepEqual(findings(pure, one), []);
    for (const module of pure) {
        for (const imported of importsOf(module)) {
            assert.ok(pure.some(({ path }) => path === imported), `${module.path} imports ${imported}`);
        }
    }
});

test("modules import from their own folder, from lower floors, and the addresses of other features", () => {
    const floorOf = (path) =>
        FLOORS.indexOf(FLOORS.includes(posix.dirname(path)) ? posix.dirname(path) : "FEATURES");
    for (const module of modules) {
        for (const imported of importsOf(module, /(?:from |import\()"(\.[^"]+)"/g)) {
            const isBelow = floorOf(imported) < floorOf(module.path);
            const isBeside = posix.dirname(imported) === posix.dirname(module.path);
            const isAddress = imported.endsWith("/address.js") && floorOf(imported) === floorOf(module.path);
            assert.ok(isBelow || isBeside || isAddress, `${module.path} imports ${imported}`);
        }
    }
});
