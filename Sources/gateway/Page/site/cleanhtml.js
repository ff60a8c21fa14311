// Sanitizes untrusted HTML: only allowed elements are recreated.

import { element } from "../common/dom.js";
import { linkOf, treatmentOf } from "./allowed.js";

/** The maximum numbers of parsed characters and of elements, and the maximum depth. */
const LOOKED_AT = 20_000;
const ELEMENTS_AT_MOST = 2_000;
const DEPTH_AT_MOST = 40;

/**
 * Reads properties from the prototype, because the named children of a form or a document can shadow its own
 * properties.
 */
const own = (ownerOf, property) => (node) =>
    Object.getOwnPropertyDescriptor(ownerOf().prototype, property).get.call(node);
const bodyOf = own(() => Document, "body");
const childrenOf = own(() => Node, "childNodes");
const kindOf = own(() => Node, "nodeType");
const nameOf = own(() => Element, "localName");
const namespaceOf = own(() => Element, "namespaceURI");

/**
 * Returns the allowed elements of an HTML text, recreated.
 *
 * The text is parsed into a document without a window: nothing in it runs or is fetched. Only the names of
 * its elements and the targets of its links are used; no node and no other attribute is copied.
 *
 * @param {string} html
 * @returns {DocumentFragment}
 */
export function cleaned(html) {
    const inert = new DOMParser().parseFromString(html.slice(0, LOOKED_AT), "text/html");
    const made = document.createDocumentFragment();
    const budget = { elements: ELEMENTS_AT_MOST };
    append(bodyOf(inert), made, 0, budget);
    return made;
}

function append(from, into, depth, budget) {
    for (const node of childrenOf(from)) {
        if (kindOf(node) === Node.TEXT_NODE) into.append(node.data);
        if (kindOf(node) !== Node.ELEMENT_NODE) continue;
        const treatment = treatmentOf(nameOf(node), namespaceOf(node));
        if (treatment.kind === "drop" || depth >= DEPTH_AT_MOST) continue;
        const made = treatment.kind === "copy" && budget.elements > 0 ? madeOf(node, treatment.tag) : null;
        if (made !== null) {
            budget.elements -= 1;
            into.append(made);
        }
        append(node, made ?? into, depth + 1, budget);
    }
}

/** Creates the element for an untrusted one; null if only its content is shown. */
function madeOf(node, tag) {
    if (tag !== "a") return element(tag);
    const href = linkOf(node.getAttribute("href"));
    const attributes = { href, rel: "noopener noreferrer nofollow", target: "_blank" };
    return href === null ? null : element("a", attributes);
}
