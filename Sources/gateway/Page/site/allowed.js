// The allowed elements and links of untrusted HTML. Pure.

const HTML = "http://www.w3.org/1999/xhtml";

/** The elements that are recreated, with their new tags; headings rank below those of the page. */
const ALLOWED_TAGS = new Map([
    "p", "br", "hr", "b", "strong", "i", "em", "u", "s", "small", "sub", "sup", "mark", "code", "pre",
    "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot", "tr",
    "th", "td", "a", "bdi",
].map((tag) => [tag, tag]).concat([
    ["h1", "h3"], ["h2", "h3"], ["h3", "h4"], ["h4", "h4"], ["h5", "h4"], ["h6", "h4"],
    ["div", "p"], ["section", "p"], ["article", "p"], ["address", "p"],
]));

/** The elements that are dropped with their text, because it is code or meant for other uses. */
const DROPPED = new Set([
    "script", "style", "template", "noscript", "noframes", "noembed", "iframe", "frame", "frameset", "object",
    "embed", "applet", "param", "title", "head", "base", "link", "meta", "textarea", "select", "option",
    "datalist", "input", "button", "video", "audio", "source", "track", "canvas", "map", "area", "img",
    "picture", "portal", "xmp", "plaintext", "dialog", "slot", "progress", "meter",
]);

/** The allowed protocols of links. */
const PROTOCOLS = new Set(["http:", "https:", "mailto:"]);
const LINK_AT_MOST = 2_000;

/**
 * The treatment of an element: recreated as `tag`, replaced by its content, or dropped.
 *
 * @returns {{kind: "copy", tag: string} | {kind: "unwrap"} | {kind: "drop"}}
 */
export function treatmentOf(name, namespace) {
    // SVG and MathML have their own parsing rules, by which text in one place is an element in another.
    if (namespace !== HTML || DROPPED.has(name)) return { kind: "drop" };
    const tag = ALLOWED_TAGS.get(name);
    return tag === undefined ? { kind: "unwrap" } : { kind: "copy", tag };
}

/**
 * The safe target of a link; null for one within the page, with another protocol, or with a user name before
 * the host, which can disguise the target.
 */
export function linkOf(text) {
    if (typeof text !== "string" || text.length > LINK_AT_MOST || !URL.canParse(text)) return null;
    const url = new URL(text);
    if (!PROTOCOLS.has(url.protocol) || url.username !== "" || url.password !== "") return null;
    return url.href;
}
