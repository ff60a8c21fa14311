// The words of an HTML text of strangers.

/** Characters that are kept, and those that are looked at. */
const LENGTH = 300;
const LOOKED_AT = 20_000;
/** After what a word ends. */
const BLOCKS = "p, div, li, h, h1, h2, h3, h4, h5, h6, td, th";
/** What holds no words for people. */
const SILENT = "script, style, template, noscript, iframe, object, title, head, svg, math, textarea, select";

/**
 * The text that an HTML page shows, in one line, without anything active; that of its paragraphs, where it
 * has any, for a heading only repeats the status.
 *
 * It is parsed into a document that has no window: nothing in it runs or is fetched. Only its text is taken.
 */
export function plainText(html) {
    const inert = new DOMParser().parseFromString(html.slice(0, LOOKED_AT), "text/html");
    for (const element of inert.querySelectorAll(SILENT)) element.remove();
    for (const rule of inert.querySelectorAll("br, hr")) rule.replaceWith(" ");
    for (const block of inert.querySelectorAll(BLOCKS)) block.append(" ");
    const paragraphs = [...inert.querySelectorAll("p")].map((one) => one.textContent).join(" ");
    return oneLine(paragraphs.trim() || inert.body.textContent);
}

/** A text in one line, and no longer than people read. */
export function oneLine(words) {
    const text = words.replace(/\s+/g, " ").trim();
    return text.length > LENGTH ? `${text.slice(0, LENGTH - 1)}…` : text;
}
