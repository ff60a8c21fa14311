// The plain text of untrusted HTML.

/** The maximum number of characters of the result, and of the input. */
const LENGTH = 300;
const LOOKED_AT = 20_000;
/** Elements that end a word. */
const BLOCKS = "p, div, li, h, h1, h2, h3, h4, h5, h6, td, th";
/** Elements without visible text. */
const SILENT = "script, style, template, noscript, iframe, object, title, head, svg, math, textarea, select";

/**
 * Returns the visible text of an HTML page in one line, without active content. If it has paragraphs, only
 * their text is returned, because a heading repeats the status.
 *
 * The text is parsed into a document without a window: nothing in it runs or is fetched, and only its text is
 * used.
 */
export function plainText(html) {
    const inert = new DOMParser().parseFromString(html.slice(0, LOOKED_AT), "text/html");
    for (const element of inert.querySelectorAll(SILENT)) element.remove();
    for (const rule of inert.querySelectorAll("br, hr")) rule.replaceWith(" ");
    for (const block of inert.querySelectorAll(BLOCKS)) block.append(" ");
    const paragraphs = [...inert.querySelectorAll("p")].map((one) => one.textContent).join(" ");
    return oneLine(paragraphs.trim() || inert.body.textContent);
}

/** Returns a text in one line, truncated to 300 characters. */
export function oneLine(value) {
    const text = value.replace(/\s+/g, " ").trim();
    return text.length > LENGTH ? `${text.slice(0, LENGTH - 1)}…` : text;
}
