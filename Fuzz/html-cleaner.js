// The body of a function with the arguments: hostile texts, the seed of the first mutation, the number of mutations.
// Returns the first input that breaks a rule, with the rule; null if none does.
const [payloads, seed, count] = arguments;

const ALLOWED = new Set([
    "a", "b", "bdi", "blockquote", "br", "caption", "code", "dd", "dl", "dt", "em", "h3", "h4", "hr", "i", "li", "mark",
    "ol", "p", "pre", "s", "small", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul",
]);
const TOKENS = [
    "<", ">", "</", "/>", "\"", "'", "`", "=", "&", "&lt;", "&#x6a;", "&#0;", "\0", "\u2028", "<!--", "-->", "--!>", "<![CDATA[",
    "]]>", "<?", "<!doctype html>", "<svg>", "</svg>", "<math>", "<mtext>", "<mglyph>", "<annotation-xml encoding=text/html>",
    "<foreignObject>", "<desc>", "<title>", "<style>", "</style>", "<script>", "</script>", "<template>", "</template>",
    "<noscript>", "<textarea>", "<select>", "<option>", "<table>", "<tr>", "<td>", "<caption>", "<form>", "</form>", "<frameset>",
    "<plaintext>", "<xmp>", "<a href=", "<a href='javascript:alert(1)'>", "<a href=https://x.example/>", "</a>", "<p>", "</p>",
    "<h1>", "<div>", "<b>", "</b>", "<i>", "<input name=childNodes>", "<img src=x onerror=alert(1)>", " onclick=alert(1)",
    " name=nodeType", " id=attributes", " xmlns=http://www.w3.org/1999/xhtml", "<font color=x>", "<nobr>", "<is-custom is=x>",
];
const NAMESPACE = "http://www.w3.org/1999/xhtml";

/** Random numbers from a seed (mulberry32). */
function generator(state) {
    return (below) => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    };
}

function mutation(random) {
    let text = payloads[random(payloads.length)];
    for (let step = random(8); step >= 0; step -= 1) {
        const [place, end] = [random(text.length + 1), random(text.length + 1)];
        const rest = text.slice(place);
        switch (random(7)) {
        case 0: text = text.slice(0, place) + payloads[random(payloads.length)] + rest; break;
        case 1: text = text.slice(0, place) + text.slice(Math.max(place, end)); break;
        case 2: text += text.slice(Math.min(place, end), Math.max(place, end)); break;
        case 3: text = text.slice(0, place) + String.fromCharCode(random(256)) + rest.slice(1); break;
        case 4: text = text.slice(0, place) + TOKENS[random(TOKENS.length)].repeat(1 + (random(20) === 0 ? random(300) : 0)) + rest; break;
        default: text = text.slice(0, place) + TOKENS[random(TOKENS.length)] + rest;
        }
        text = text.slice(0, 30000);
    }
    return text;
}

/** The rule that a tree breaks; null if none. */
function broken(root) {
    let elements = 0;
    for (const node of root.querySelectorAll("*")) {
        elements += 1;
        if (node.namespaceURI !== NAMESPACE || !ALLOWED.has(node.localName)) return `element ${node.localName}`;
        for (const { name, value } of node.attributes) {
            if (node.localName !== "a" || !["href", "rel", "target"].includes(name)) return `attribute ${name}`;
            if (name === "href" && !/^(https?|mailto):/.test(value)) return `link to ${value}`;
        }
    }
    return elements > 2000 ? `${elements} elements` : null;
}

function depth(node) {
    let deepest = 0;
    for (const child of node.children ?? []) deepest = Math.max(deepest, 1 + depth(child));
    return deepest;
}

window.alert = () => { window.hasFired = true; };
return import("/page/site/cleanhtml.js").then(({ cleaned }) => {
    for (let number = 0; number < count; number += 1) {
        const input = mutation(generator(seed + number));
        const result = document.createElement("div");
        let rule;
        try {
            result.append(cleaned(input));
            rule = broken(result) ?? (depth(result) > 40 ? "depth" : null);
            const again = new DOMParser().parseFromString(result.innerHTML, "text/html").body;
            rule ??= broken(again)?.replace(/^/, "after parsing again: ");
        } catch (error) {
            rule = `${error}`;
        }
        if (rule) return { rule, input };
    }
    return null;
});
