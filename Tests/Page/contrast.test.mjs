// Contrast by WCAG 2.1, from the colours in the style sheet: text 4.5:1 (1.4.3), controls 3:1 (1.4.11).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const CSS = readFileSync(new URL("../../Sources/gateway/Page/style.css", import.meta.url), "utf8")
    .replace(/\/\*[^]*?\*\//g, "");
const [LIGHT, DARK] = [...CSS.matchAll(/:root \{([^}]*)\}/g)].map(([, body]) => declarationsOf(body));
const THEMES = { light: LIGHT, dark: { ...LIGHT, ...DARK } };
/** The rules outside of media queries, in order. */
const RULES = [...withoutMedia(CSS).matchAll(/([^{}]+)\{([^}]*)\}/g)].map(([, selectors, body]) => ({
    selectors: selectors.split(/,(?![^(]*\))/).map((one) => one.trim()), declarations: declarationsOf(body),
}));

/** Text, and the element that is its background. */
const TEXT = [
    ["body", "body"], ["body", ".card"], ["body", ".notice"], ["body", ".login input"], ["body", ".choice"],
    [".line", ".rows"], [".line", ".row-link:hover::before"], [".line", ".posts"],
    [".line", ".post-link:hover::before"], ["body", ".row-link:hover::before"],
    [".post-comments", ".posts"], [".post-comments", ".post-link:hover::before"],
    [".pill", ".pill"], ['.pill[data-tone="busy"]', '.pill[data-tone="busy"]'],
    ['.pill[data-tone="bad"]', '.pill[data-tone="bad"]'],
    [".popup", ".popup"], ['.popup[data-tone="busy"]', ".popup"], ['.popup[data-tone="bad"]', ".popup"],
    [".banner", ".banner"], ['.banner[data-tone="bad"]', '.banner[data-tone="bad"]'],
    [".primary", ".primary"], [".primary:disabled", ".primary:disabled"],
    [".secondary", ".card"], [".secondary", "body"], [".secondary", ".secondary:hover:not(:disabled)"],
    [".login-error", ".login-error"], [".login-success", ".login-success"], [".login-hint", ".card"],
    [".bulletin", ".card"], [".bulletin", "body"], [".account", ".bar"], [".summary", "body"],
    [".nothing", "body"], [".nothing", ".card"], [".quiet", ".bar"],
    [".quiet:hover:not(:disabled)", ".quiet:hover:not(:disabled)"], [".search::placeholder", ".search"],
    ["h2", ".card"], [".facts dt", ".card"], [".state", ".card"], [".reading", ".card"],
    [".entries time", ".card"], [".entries .kind", ".entries .kind"],
    ['.entries [data-tone="good"] .kind', '.entries [data-tone="good"] .kind'],
    ['.entries [data-tone="bad"] .kind', '.entries [data-tone="bad"] .kind'],
    [".queue-hint", ".card"], ["body", ".queue-ids li"],
    ['.queue-ids li[data-tone="bad"]', ".queue-ids li"],
    [".writing textarea::placeholder", ".writing textarea"],
    [".duty-error", ".duty"], [".duty-rest", ".duty"], [".about", ".card"], [".byline", ".card"],
    [".description a", ".card"], [".description blockquote", ".card"],
];
/** The visible edge of each control, and the background around it. */
const CONTROLS = [
    [".login input", "border", ".card"], [".search", "border", ".bar"], [".secondary", "border", ".card"],
    [".secondary", "border", "body"], [".writing-title", "border", ".card"],
    [".writing textarea", "border", ".card"],
    [".choice", "border", ".card"], [".switch::before", "background", ".rows"], [".switch::before", "background", ".row-link:hover::before"],
    ['.switch[aria-checked="true"]::before', "background", ".rows"],
    [".thumb", "background", ".switch::before"],
    ['.switch[aria-checked="true"] .thumb', "background", '.switch[aria-checked="true"]::before'],
    [":focus-visible", "outline", "body"], [":focus-visible", "outline", ".card"],
];

function withoutMedia(css) {
    let [depth, isMedia, stored] = [0, false, ""];
    for (const part of css.split(/(?<=[{}])/)) {
        if (depth === 0) isMedia = part.trimStart().startsWith("@");
        if (!isMedia) stored += part;
        depth += part.endsWith("{") ? 1 : part.endsWith("}") ? -1 : 0;
    }
    return stored;
}

function declarationsOf(body) {
    return Object.fromEntries(body.split(";").filter((one) => one.includes(":")).map((one) => {
        const colon = one.indexOf(":");
        return [one.slice(0, colon).trim(), one.slice(colon + 1).trim()];
    }));
}

/** The colour of a selector's property in a theme; the last rule that has one counts. */
function colourOf(selector, property, theme) {
    const values = RULES.filter(({ selectors }) => selectors.includes(selector))
        .map(({ declarations }) => declarations[property]).filter((value) => value !== undefined);
    assert.ok(values.length > 0, `${selector} has no ${property}`);
    const value = values.at(-1).replace(/var\((--[a-z-]+)\)/, (_, name) => theme[name]);
    return /#[0-9a-f]{6}/.exec(value)?.[0] ?? assert.fail(`${selector}: no colour in ${values.at(-1)}`);
}

/** https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio */
function contrast(one, other) {
    const [light, dark] = [luminance(one), luminance(other)].sort((first, second) => second - first);
    return (light + 0.05) / (dark + 0.05);
}

function luminance(colour) {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("the contrast ratio is WCAG's: black on white 21, #767676 on white 4.54", () => {
    assert.equal(contrast("#000000", "#ffffff"), 21);
    assert.equal(contrast("#767676", "#ffffff").toFixed(2), "4.54");
});

for (const [name, theme] of Object.entries(THEMES)) {
    test(`text in the ${name} theme has a contrast of at least 4.5:1`, () => {
        const low = TEXT.map(([text, ground]) => {
            const ratio = contrast(colourOf(text, "color", theme), colourOf(ground, "background", theme));
            return { text, ground, ratio };
        }).filter(({ ratio }) => ratio < 4.5);
        assert.deepEqual(low, []);
    });

    test(`controls in the ${name} theme have a contrast of at least 3:1`, () => {
        const low = CONTROLS.map(([control, property, ground]) => {
            const ratio = contrast(colourOf(control, property, theme), colourOf(ground, "background", theme));
            return { control, ground, ratio };
        }).filter(({ ratio }) => ratio < 3);
        assert.deepEqual(low, []);
    });
}

test("every element with a border on all sides is a control, and no control has the colour of dividing lines", () => {
    const wrong = RULES.filter(({ declarations }) => /var\(--rule\)/.test(declarations.border ?? ""));
    assert.deepEqual(wrong.map(({ selectors }) => selectors), []);
});
