// What of strangers' HTML may be shown. Pure.

const HTML = "http://www.w3.org/1999/xhtml";

/** Elements that are made anew, and as what; headings lie below those of the page. */
const KEPT = new Map([
    "p", "br", "hr", "b", "strong", "i", "em", "u", "s", "small", "sub", "sup", "mark", "code", "pre",
    "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot", "tr",
    "th", "td", "a", "bdi",
].map((tag) => [tag, tag]).concat([
    ["h1", "h3"], ["h2", "h3"], ["h3", "h4"], ["h4", "h4"], ["h5", "h4"], ["h6", "h4"],
    ["div", "p"], ["section", "p"], ["article", "p"], ["address", "p"],
]));

/** Elements of which nothing is shown, not even their text: it is code, or words for other places. */
const DROPPED = new Set([
    "script", "style", "template", "noscript", "noframes", "noembed", "iframe", "frame", "frameset", "object",
    "embed", "applet", "param", "title", "head", "base", "link", "meta", "textarea", "select", "option",
    "datalist", "input", "button", "video", "audio", "source", "track", "canvas", "map", "area", "img",
    "picture", "portal", "xmp", "plaintext", "dialog", "slot", "progress", "meter",
]);

/** Where a link may lead. */
const PROTOCOLS = new Set(["http:", "https:", "mailto:"]);
const LINK_AT_MOST = 2_000;

/**
 * What becomes of an element: it is made anew as `tag`, only what is in it is shown, or nothing of it.
 *
 * @returns {{kind: "keep", tag: string} | {kind: "unwrap"} | {kind: "drop"}}
 */
export function treatmentOf(name, namespace) {
    // Drawings and formulas have rules of their own, by which what is text in one place is an element in
    // another.
    if (namespace !== HTML || DROPPED.has(name)) return { kind: "drop" };
    const tag = KEPT.get(name);
    return tag === undefined ? { kind: "unwrap" } : { kind: "keep", tag };
}

/**
 * Where a link leads, as it is safe to follow; null for one that is not: it leads within the page, runs
 * something, or shows a name before the host, as those do that pretend to lead elsewhere.
 */
export function linkOf(text) {
    if (typeof text !== "string" || text.length > LINK_AT_MOST || !URL.canParse(text)) return null;
    const url = new URL(text);
    if (!PROTOCOLS.has(url.protocol) || url.username !== "" || url.password !== "") return null;
    return url.href;
}
