// What a feature adds to the page: types only.

/**
 * @typedef {object} Feature
 * @property {string} name The name of its service, and of the service's stored data.
 * @property {Screen[]} screens
 * @property {{href: string, label: string, icon: string}} [entry] A link in the bar of the first screen.
 * @property {(parts: {connection, notices, perform(effect), query: string}) => Service} [service] Makes the
 *     state and the rules of an account service; `query` is that of the page's address.
 * @property {{from(value): object | null, key?: string, isFetched?: boolean}} [stored] How the service's
 *     stored data is decoded, its key in the browser's storage, and whether it can be fetched again.
 * @property {string[]} [messages] Those of its effects that send something that the user has entered.
 * @property {(page: Page) => Record<string, (effect) => void>} [effects] Executes the effects of its state,
 *     by their `do`.
 */

/**
 * @typedef {object} Screen
 * @property {string} name
 * @property {string[]} parents The screens that lead to it; it enters from the right of them.
 * @property {import("./address.js").Address[]} addresses The first that fits a route is used for it.
 * @property {(model, now: number) => object} view What it shows; `isKnown` is false without data for a title.
 * @property {(view) => string} [title] Its part of the window's title.
 * @property {(page: Page) => {element: Element, first: Element, draw(view, now: number), leave?(),
 *     returned?(): boolean, search?()}} make `first` gets the focus when the screen is shown; `leave` is
 *     called before another screen is shown, `returned` when that one was left for this one.
 */

/**
 * @typedef {object} Service
 * @property {(route) => void} opened A screen is shown, or the connection is back: it loads what it needs.
 * @property {() => void} store Stores its data in the browser.
 * @property {() => object} dataToStore
 * @property {(stored: object) => void} restore
 * @property {(now: number) => void} [ticked] Called at each tick.
 */

/**
 * @typedef {object} Page
 * @property model The model; each event is a method of it or of its parts.
 * @property {import("./gateway.js").Gateway} gateway
 * @property store The browser's storage.
 * @property {(answer: Promise, then: {done(value, now), failed(error, now), ended?(message, now)}) => void}
 *     attempt Waits for an answer and passes it to the model; `ended` is for the end of the session.
 * @property {(event: (now: number) => void) => void} handle Passes an event to the model, and draws the page.
 * @property {(event: (now: number) => void) => void} handleAtOnce The same for a key, drawn at once.
 * @property {(now: number) => string} newID Returns a new request ID.
 * @property {(event: Event) => void} back Called for a link back.
 * @property {import("./times.js").Times} times
 * @property {{href, label, icon}[]} entries The links in the bar of the first screen.
 */
