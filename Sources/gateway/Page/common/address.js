// The addresses of screens. Pure.

/** Reads a part of an address that matches a pattern; undefined for any other. */
export function matching(pattern, read = String) {
    return (part) => {
        try {
            return pattern.test(part) ? read(part) : undefined;
        } catch {
            // A malformed percent-encoding.
            return undefined;
        }
    };
}

export const deviceID = matching(/^[A-Za-z0-9]{1,64}$/);

/** An address of a screen: the part from `#/` on, in which names stand for parameters. */
export class Address {
    screen;
    #parts;
    #readers;

    /**
     * @param {string} screen The screen's name.
     * @param {string} path Such as `posts/:number`.
     * @param {Record<string, (part: string) => unknown>} readers The readers of the parameters, by name.
     */
    constructor(screen, path, readers = {}) {
        this.screen = screen;
        this.#parts = path.split("/").map((part) =>
            part.startsWith(":") ? { name: part.slice(1) } : { part });
        this.#readers = readers;
    }

    /**
     * The route that an address names; null for an address of another form.
     *
     * @param {string} hash The part of the address from `#` on.
     */
    routeOf(hash) {
        const parts = hash.split("/").slice(1);
        if (!hash.startsWith("#/") || parts.length !== this.#parts.length) return null;
        const route = { screen: this.screen };
        for (const [index, { name, part }] of this.#parts.entries()) {
            if (name !== undefined) route[name] = this.#readers[name](parts[index]);
            if (name === undefined ? part !== parts[index] : route[name] === undefined) return null;
        }
        return route;
    }

    /** Whether a route has this screen and the parameters of this address. */
    fits(route) {
        const isComplete = Object.keys(this.#readers).every((name) => route[name] !== undefined);
        return route.screen === this.screen && isComplete;
    }

    hashOf(parameters = {}) {
        const parts = this.#parts.map(({ name, part }) => part ?? encodeURIComponent(parameters[name]));
        return `#/${parts.join("/")}`;
    }
}
