// HTML of strangers, cleaned: what is allowed is made anew, and nothing else comes through.

import { element } from "../common/dom.js";
import { linkOf, treatmentOf } from "./allowed.js";

/** Characters that are looked at, elements that are made, and how deep they may lie in each other. */
const LOOKED_AT = 20_000;
const ELEMENTS_AT_MOST = 2_000;
const DEPTH_AT_MOST = 40;

/**
 * What a node says of itself. A form or a document has what is in it by its name, also where that is the name
 * of a property.
 */
const own = (owner, property) => {
    const { get } = Object.getOwnPropertyDescriptor(owner.prototype, property);
    return (node) => get.call(node);
};
const bodyOf = own(Document, "body");
const childrenOf = own(Node, "childNodes");
const kindOf = own(Node, "nodeType");
const nameOf = own(Element, "localName");
const namespaceOf = own(Element, "namespaceURI");

/**
 * The nodes that an HTML text shows, made anew of those elements alone that are allowed.
 *
 * The text is parsed into a document that has no window: nothing in it runs or is fetched. Of its elements
 * only names are looked at, and of a link where it leads; no node and no other attribute of it is taken over.
 *
 * @param {string} html
 * @returns {DocumentFragment}
 */
export function cleaned(html) {
    const inert = new DOMParser().parseFromString(html.slice(0, LOOKED_AT), "text/html");
    const made = document.createDocumentFragment();
    const room = { elements: ELEMENTS_AT_MOST };
    append(bodyOf(inert), made, 0, room);
    return made;
}

function append(from, into, depth, room) {
    for (const node of childrenOf(from)) {
        if (kindOf(node) === Node.TEXT_NODE) into.append(node.data);
        if (kindOf(node) !== Node.ELEMENT_NODE) continue;
        const treatment = treatmentOf(nameOf(node), namespaceOf(node));
        if (treatment.kind === "drop" || depth >= DEPTH_AT_MOST) continue;
        const made = treatment.kind === "keep" && room.elements > 0 ? madeOf(node, treatment.tag) : null;
        if (made !== null) {
            room.elements -= 1;
            into.append(made);
        }
        append(node, made ?? into, depth + 1, room);
    }
}

/** An element of ours in place of a stranger's; null where only what is in it is shown. */
function madeOf(node, tag) {
    if (tag !== "a") return element(tag);
    const href = linkOf(node.getAttribute("href"));
    const attributes = { href, rel: "noopener noreferrer nofollow", target: "_blank" };
    return href === null ? null : element("a", attributes);
}
