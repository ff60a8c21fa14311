// Creates and changes elements without HTML, so that untrusted text is only text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an element with attributes and children.
 *
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
export function element(tag, attributes = {}, ...children) {
    return filled(document.createElement(tag), attributes, children);
}

export function shape(tag, attributes = {}, ...children) {
    return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(made, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
}

/** Sets a text if it differs. */
export function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute if it differs; null removes it. */
export function setAttribute(node, name, value) {
    if (value === null) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

const drawn = new WeakMap();

/**
 * Replaces the children of a node, unless their key is the former one: new elements would lose the focus, and
 * screen readers would repeat them.
 */
export function setChildren(node, key, make) {
    if (drawn.get(node) === key) return;
    drawn.set(node, key);
    node.replaceChildren(...make());
}

/** Shows a text; hides the node if the text is empty. */
export function showText(node, text) {
    setText(node, text);
    node.hidden = text === "";
}

const PATHS = {
    cool: "M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9M9.5 4.5 12 7l2.5-2.5M9.5 19.5 12 17l2.5 2.5",
    heat: "M12 3c.8 3.3 5.5 5.6 5.5 10.6a5.5 5.5 0 0 1-11 0c0-2.2 1-3.9 2.3-5 0 1.7.7 2.8 1.7 3.2"
        + "C10.3 8.8 10.7 5.7 12 3z",
    fan: "M12 10.2c-2.3-2.6-2-6.7.4-6.7s3.2 4.1 1.1 7M13.5 12.7c3.4-.7 6.8 1.6 5.6 3.7s-5.2.8-6.6-2.5"
        + "M10.5 12.7c-1.1 3.3-4.8 5-6 2.9s1.9-4.8 5.5-4.4M12 10.2a1.8 1.8 0 1 0 0 3.6a1.8 1.8 0 1 0 0-3.6",
    dry: "M12 3.5c3.6 4.2 5.5 7 5.5 10a5.5 5.5 0 0 1-11 0c0-3 1.9-5.8 5.5-10z",
    auto: "M4.5 11a7.6 7.6 0 0 1 13-4.2L19.5 9M19.5 4.5V9H15"
        + "M19.5 13a7.6 7.6 0 0 1-13 4.2L4.5 15M4.5 19.5V15H9",
    back: "M14.5 5.5 8 12l6.5 6.5",
    refresh: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9M19.5 4.5V9H15",
    leave: "M10 4.5H5.5v15H10M14.5 8l4 4-4 4M18.5 12h-9",
    search: "M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M15.3 15.3 20 20",
    logbook: "M5.5 4.5h11a2 2 0 0 1 2 2v13h-11a2 2 0 0 1-2-2zM9 9h6M9 12.5h6M9 16h4",
    place: "M12 20.5c-4-4.6-6-7.9-6-10.7a6 6 0 0 1 12 0c0 2.8-2 6.1-6 10.7z"
        + "M12 7.6a2.2 2.2 0 1 0 0 4.4a2.2 2.2 0 1 0 0-4.4",
    close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
};

/** Creates an icon, hidden from screen readers because a text beside it has the same meaning. */
export function icon(name) {
    const path = shape("path", { d: PATHS[name] ?? PATHS.auto });
    return shape("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, path);
}

export function setIcon(drawn, name) {
    setAttribute(drawn.firstChild, "d", PATHS[name] ?? PATHS.auto);
}

/** Creates an icon button with a text for screen readers and the tooltip. */
export function quietButton(text, picture) {
    const attributes = { type: "button", class: "quiet", "aria-label": text, title: text };
    return element("button", attributes, icon(picture));
}

/** Creates an icon link likewise. */
export function quietLink(text, picture, attributes) {
    return element("a", { class: "quiet", "aria-label": text, title: text, ...attributes }, icon(picture));
}

/** Creates an element for a name, which isolates the name's direction of writing. */
export function name() {
    return element("bdi", { class: "name" });
}

/** Draws terms with their texts into a list. @param {[string, string][]} facts */
export function drawFacts(list, facts) {
    const nodes = list.children;
    if (nodes.length !== facts.length) {
        const fact = () => element("div", {}, element("dt"), element("dd", {}, element("bdi")));
        list.replaceChildren(...facts.map(fact));
    }
    facts.forEach(([term, text], index) => {
        setText(nodes[index].firstChild, term);
        setText(nodes[index].lastChild.firstChild, text);
    });
}
