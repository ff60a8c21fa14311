// Conditions on devices, in the language of `fleet devices --filter`. Pure.

import { characters, folded, nameTest, selector, siteTest } from "./selector.js";

/** The maximum length of a condition, characters. */
export const LONGEST_CONDITION = 4_096;
/** The maximum nesting depth of brackets and `not`s. */
const DEEPEST = 32;

const KEYWORDS = ["device", "site", "node", "model", "power", "presence", "outcome", "not"];
const JOINTS = ["and", "or"];
const MODELS = ["skyv2", "airq", "pure", "elements"];
const POWERS = ["on", "off"];
const PRESENCES = ["online", "offline", "stale", "unknown"];
const OUTCOMES = [
    "applied", "unchanged", "conflict", "rejected", "cancelled", "expired", "undetermined", "unknown",
];

const tenths = (number) => number === null ? null : Math.round(number * 10);
const inCelsius = ({ targetTemperature, unit }) =>
    unit === "F" ? (targetTemperature - 32) * 5 / 9 : targetTemperature;

/** The readings, each in tenths of its unit; null if it was never measured. */
const READINGS = {
    temperature: (row) => tenths(row.temperature),
    feelsLike: (row) => tenths(row.feelsLike),
    humidity: (row) => tenths(row.humidity),
    target: (row) => tenths(inCelsius(row)),
};

const COMPARISONS = {
    "<": (one, other) => one < other, "<=": (one, other) => one <= other,
    ">": (one, other) => one > other, ">=": (one, other) => one >= other,
    "=": (one, other) => one === other, "!=": (one, other) => one !== other,
};

/** What may begin a term, for errors. */
const BEGINNINGS = `${[...KEYWORDS, ...Object.keys(READINGS)].join(", ")}, “(”, or a text`;

/** An error in the text of a condition: the column of the first wrong character, from 1, and the cause. */
export class ConditionError extends Error {
    /**
     * @param {number} column
     * @param {string} problem
     */
    constructor(column, problem) { super(`column ${column}: ${problem}`); }
}

/**
 * Parses a condition.
 *
 * A single word is a state, such as `offline`, or a selector; consecutive words without another meaning are a
 * selector. Case is ignored.
 *
 * @returns {((row: import("./fleetwire.js").Device) => boolean) | null} Whether it holds for a device; null
 *     for a text without words.
 * @throws {ConditionError}
 */
export function parseCondition(text) {
    const tokens = tokensOf(text);
    if (tokens.length === 1) return null;
    if (tokens.length === 2 && tokens[0].kind === "word") return wordTest(tokens[0].text);
    return new Parser(tokens).parse();
}

/** The test that a word without quotation marks stands for: a state or a selector. */
function wordTest(word) {
    const state = word.toLowerCase();
    return [...POWERS, ...PRESENCES].includes(state) ? stateTest(state) : selector(word);
}

function stateTest(state) {
    if (POWERS.includes(state)) return (row) => row.on === (state === "on");
    return (row) => row.presence === state;
}

/** Returns the tokens of a text, each with its column, followed by an end token. */
function tokensOf(text) {
    const all = characters(text);
    if (all.length > LONGEST_CONDITION) {
        throw new ConditionError(LONGEST_CONDITION + 1, `longer than ${LONGEST_CONDITION} characters`);
    }
    const tokens = [];
    let place = 0;
    while (place < all.length) {
        if (/^\s/.test(all[place])) {
            place += 1;
            continue;
        }
        const { end, ...token } = tokenAt(all, place);
        tokens.push({ ...token, column: place + 1 });
        place = end;
    }
    return [...tokens, { kind: "end", text: "", column: all.length + 1 }];
}

function tokenAt(all, place) {
    const first = all[place];
    if (first === "(" || first === ")") return { kind: first, text: first, end: place + 1 };
    if (first === "\"") return quotedAt(all, place);
    if ("<>=!".includes(first)) return comparisonAt(all, place);
    let end = place;
    while (end < all.length && !/^[\s"()<>=!]/.test(all[end])) end += 1;
    return { kind: "word", text: all.slice(place, end).join(""), end };
}

/** A text in quotation marks, in which `\"` and `\\` stand for a quotation mark and a backslash. */
function quotedAt(all, place) {
    let text = "";
    for (let end = place + 1; end < all.length; end += 1) {
        if (all[end] === "\"") return { kind: "quoted", text, end: end + 1 };
        if (all[end] === "\\" && (all[end + 1] === "\"" || all[end + 1] === "\\")) end += 1;
        text += all[end];
    }
    throw new ConditionError(place + 1, "unterminated quotation mark");
}

function comparisonAt(all, place) {
    const text = [2, 1].map((length) => all.slice(place, place + length).join(""))
        .find((one) => Object.hasOwn(COMPARISONS, one));
    if (text !== undefined) return { kind: "comparison", text, end: place + text.length };
    const problem = "unexpected “!”; write != to compare, or not to negate a condition";
    throw new ConditionError(place + 1, problem);
}

/** Parses tokens into a test of a device: `or` binds least, then `and`, then `not`. */
class Parser {
    #tokens;
    #place = 0;
    #depth = 0;

    constructor(tokens) { this.#tokens = tokens; }

    parse() {
        const test = this.#alternatives();
        if (this.#next.kind !== "end") throw this.#unexpected("and, or, or the end");
        return test;
    }

    get #next() { return this.#tokens[this.#place]; }

    /** The next token's word in lower case; null if the token is not a bare word. */
    get #word() { return this.#next.kind === "word" ? this.#next.text.toLowerCase() : null; }

    #unexpected(allowed) {
        const { kind, text, column } = this.#next;
        const label = kind === "end" ? "end of the condition" : `“${text}”`;
        return new ConditionError(column, `unexpected ${label}; allowed: ${allowed}`);
    }

    #alternatives() {
        const tests = [this.#conjunction()];
        while (this.#word === "or") {
            this.#place += 1;
            tests.push(this.#conjunction());
        }
        return tests.length === 1 ? tests[0] : (row) => tests.some((holds) => holds(row));
    }

    #conjunction() {
        const tests = [this.#one()];
        while (this.#word === "and") {
            this.#place += 1;
            tests.push(this.#one());
        }
        return tests.length === 1 ? tests[0] : (row) => tests.every((holds) => holds(row));
    }

    #one() {
        if (this.#depth === DEEPEST) {
            const problem = `brackets and nots nested more than ${DEEPEST} deep`;
            throw new ConditionError(this.#next.column, problem);
        }
        this.#depth += 1;
        const test = this.#single();
        this.#depth -= 1;
        return test;
    }

    #single() {
        const { kind, text } = this.#next;
        if (kind === "word") return this.#term(text.toLowerCase());
        if (kind !== "(" && kind !== "quoted") throw this.#unexpected(BEGINNINGS);
        this.#place += 1;
        if (kind === "quoted") return selector(text);
        const inner = this.#alternatives();
        if (this.#next.kind !== ")") throw this.#unexpected("and, or, or “)”");
        this.#place += 1;
        return inner;
    }

    #term(word) {
        const reading = Object.keys(READINGS).find((one) => one.toLowerCase() === word);
        if (reading !== undefined) return this.#comparison(READINGS[reading]);
        if (word === "site:") {
            this.#place += 1;
            return siteTest(this.#value("a site's name"));
        }
        if (JOINTS.includes(word)) throw this.#unexpected(BEGINNINGS);
        if (!KEYWORDS.includes(word)) return this.#selector();
        this.#place += 1;
        return this.#keyword(word);
    }

    #keyword(word) {
        switch (word) {
            case "not": {
                const inner = this.#one();
                return (row) => !inner(row);
            }
            case "device": return this.#device();
            case "site": return siteTest(this.#value("a site's name"));
            case "node": {
                const name = this.#value("a node's name");
                return (row) => row.node !== "" && row.node === name;
            }
            case "model": {
                const model = this.#choice(MODELS);
                return (row) => row.model === model;
            }
            case "outcome": {
                this.#choice(OUTCOMES);
                // No request ends while a list is shown.
                return () => false;
            }
            default: return stateTest(this.#choice(word === "power" ? POWERS : PRESENCES));
        }
    }

    /** Parses consecutive words that are not keywords. */
    #selector() {
        const words = [];
        while (this.#word !== null && !JOINTS.includes(this.#word)) {
            words.push(this.#next.text);
            this.#place += 1;
        }
        if (this.#next.kind === "comparison") {
            throw this.#unexpected(`a comparison of ${Object.keys(READINGS).join(", ")}`);
        }
        return words.length === 1 ? wordTest(words[0]) : selector(words.join(" "));
    }

    #device() {
        const name = this.#value("a device's name or ID");
        const wanted = folded(name);
        const isNamed = (row) => row.id === name || folded(row.name) === wanted;
        const word = this.#word;
        if (word === null || JOINTS.includes(word)) return isNamed;
        const states = [...POWERS, ...PRESENCES];
        if (!states.includes(word)) throw this.#unexpected([...states, ...JOINTS].join(", "));
        this.#place += 1;
        const isInState = stateTest(word);
        return (row) => isNamed(row) && isInState(row);
    }

    #choice(words) {
        const word = this.#word;
        if (!words.includes(word)) throw this.#unexpected(words.join(", "));
        this.#place += 1;
        return word;
    }

    #value(what) {
        const { kind, text } = this.#next;
        if (kind !== "word" && kind !== "quoted") {
            throw this.#unexpected(`${what}, in quotation marks if it has spaces`);
        }
        this.#place += 1;
        return text;
    }

    #comparison(valueOf) {
        this.#place += 1;
        if (this.#next.kind !== "comparison") throw this.#unexpected(Object.keys(COMPARISONS).join(", "));
        const holds = COMPARISONS[this.#next.text];
        this.#place += 1;
        if (!/^-?\d{1,5}(\.\d)?$/.test(this.#word ?? "")) {
            throw this.#unexpected("a number with one decimal at most, such as 26 or 26.5");
        }
        const wanted = tenths(Number(this.#word));
        this.#place += 1;
        return (row) => valueOf(row) !== null && holds(valueOf(row), wanted);
    }
}
