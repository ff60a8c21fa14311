// The routes: which screen an address names, and which screens lead to it. Pure.

/** @typedef {{screen: string} & Record<string, string | number>} Route A screen and its parameters. */

export class Routes {
    /** By name. @type {Map<string, import("../common/feature.js").Screen>} */
    #screens;
    #addresses;

    /** @param {import("../common/feature.js").Screen[]} screens */
    constructor(screens) {
        this.#screens = new Map(screens.map((screen) => [screen.name, screen]));
        this.#addresses = screens.flatMap(({ addresses }) => addresses);
    }

    /** The route that an address names; the list for any other. @returns {Route} */
    routeOf(hash) {
        const routes = this.#addresses.map((address) => address.routeOf(hash));
        return routes.find((route) => route !== null) ?? { screen: "list" };
    }

    /** The part of the address from `#` on that names a route. */
    hashOf(route) {
        return this.#addresses.find((address) => address.fits(route)).hashOf(route);
    }

    /** Whether a screen is opened from another one. */
    isParent(parent, screen) { return this.#screens.get(screen).parents.includes(parent); }

    /** The depth of a screen: deeper ones enter from the right, others from the left. */
    depthOf(screen) {
        return Math.max(0, ...this.#screens.get(screen).parents.map((parent) => 1 + this.depthOf(parent)));
    }
}
