// Selects devices by a text, as every command does. Pure.

const SITE_MARK = "site:";
const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A text for comparison: without regard to case, and to the composition of its characters. */
export function folded(text) { return text.normalize("NFC").toLowerCase(); }

/** The characters of a text, as a reader counts them. */
export function characters(text) {
    return /^[ -~]*$/.test(text) ? [...text] : Array.from(CHARACTERS.segment(text), (one) => one.segment);
}

/** Whether a text has a `*` or `?`; without one it is a whole name. */
export function isPattern(text) { return /[*?]/.test(text); }

/** The site that a text of the form `site:NAME` names; null for any other text. */
export function siteOf(text) {
    const isSite = text.length > SITE_MARK.length && text.toLowerCase().startsWith(SITE_MARK);
    return isSite ? text.slice(SITE_MARK.length) : null;
}

/**
 * Whether a pattern matches a whole name: `*` stands for any characters, also none, and `?` for one.
 *
 * Both are folded. A mismatch backtracks only to the last `*`, so the time is at most the product of both
 * lengths.
 */
function matches(pattern, name) {
    let [place, next] = [0, 0];
    let star = null;
    while (place < name.length) {
        if (pattern[next] === "*") {
            next += 1;
            star = { next, place };
        } else if (next < pattern.length && (pattern[next] === "?" || pattern[next] === name[place])) {
            next += 1;
            place += 1;
        } else if (star !== null) {
            star.place += 1;
            ({ next, place } = star);
        } else {
            return false;
        }
    }
    return pattern.slice(next).every((one) => one === "*");
}

/** A function that decides whether a name is a text or, if it has a `*` or `?`, matches it as a pattern. */
export function nameTest(text) {
    const wanted = folded(text);
    if (!isPattern(wanted)) return (name) => folded(name) === wanted;
    const pattern = characters(wanted);
    return (name) => matches(pattern, characters(folded(name)));
}

/**
 * A function that decides whether a text selects a device: `all`, `site:NAME`, a pattern for its name or ID,
 * or a part of them.
 *
 * @param {string} text An empty one selects every device.
 * @returns {(row: import("./fleetwire.js").Device) => boolean}
 */
export function selector(text) {
    const wanted = folded(text);
    if (wanted === "all") return () => true;
    const site = siteOf(text);
    if (site !== null) return siteTest(site);
    if (isPattern(wanted)) {
        const isNamed = nameTest(wanted);
        return (row) => isNamed(row.name) || isNamed(row.id);
    }
    return (row) => folded(row.name).includes(wanted) || folded(row.id).includes(wanted);
}

/** A function that decides whether a device is at a site, given by its name or a pattern. */
export function siteTest(text) {
    const isNamed = nameTest(text);
    return (row) => isNamed(row.site);
}
