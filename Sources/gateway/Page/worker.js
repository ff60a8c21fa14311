// The service worker: stores the page's files of one release, and serves them if the gateway does not answer.
//
// The gateway inserts a line before this text: `SHELL`, with the release and the paths of the files. A new
// release changes the text, which browsers compare at each start of the page. No other answers, such as those
// about devices and sessions, are stored or served here: the cache has no data of an account.

/* global SHELL */

const PREFIX = "sensibus-page-";
const CACHE = PREFIX + SHELL.release;
/** The header with the release of a file. */
const RELEASE = "Sensibus-Release";
/** Milliseconds to wait for the page itself before the stored one is served. */
const TIMEOUT = 4_000;
/** The maximum number of pages whose source is stored; the oldest is dropped. */
const PAGES_AT_MOST = 100;

/** The source of each page, by the ID of its client: its modules must come from the same release. */
const origins = new Map();

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(removeCaches((name) => name !== CACHE)));
self.addEventListener("fetch", (event) => {
    const { method, mode, url } = event.request;
    const { origin, pathname } = new URL(url);
    if (method !== "GET" || origin !== self.location.origin || !SHELL.files.includes(pathname)) return;
    if (pathname !== "/") event.respondWith(file(event, pathname));
    else if (mode === "navigate") event.respondWith(page(event));
});

/** Stores all files of the release, or none. */
async function install() {
    const cache = await caches.open(CACHE);
    try {
        await Promise.all(SHELL.files.map(async (path) => {
            const response = await fetch(path, { cache: "no-cache" });
            if (!response.ok || response.headers.get(RELEASE) !== SHELL.release) {
                throw new Error(`${path} is not of release ${SHELL.release}`);
            }
            await cache.put(path, response);
        }));
    } catch (error) {
        await caches.delete(CACHE);
        throw error;
    }
    await self.skipWaiting();
}

/** Serves the page from the gateway, or from the cache if the gateway does not answer in time. */
async function page(event) {
    const fetching = fetch(event.request);
    try {
        const response = await inTime(fetching);
        const release = response.headers.get(RELEASE);
        // Something else answers at this address, such as a gateway without offline start.
        if (response.ok && release === null) event.waitUntil(leave());
        record(event.resultingClientId, { release, isStored: false });
        return response;
    } catch {
        const stored = await caches.match("/", { cacheName: CACHE });
        if (stored === undefined) return fetching;
        record(event.resultingClientId, { release: SHELL.release, isStored: true });
        return stored;
    }
}

/** Serves a file from the same source as its page, and never one of another release. */
async function file(event, path) {
    const from = origins.get(event.clientId) ?? { release: SHELL.release, isStored: false };
    if (!from.isStored) {
        try {
            return await fetch(event.request);
        } catch (error) {
            if (from.release !== SHELL.release) throw error;
        }
    }
    return await caches.match(path, { cacheName: CACHE }) ?? fetch(event.request);
}

function record(client, from) {
    origins.set(client, from);
    if (origins.size > PAGES_AT_MOST) origins.delete(origins.keys().next().value);
}

function inTime(fetching) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error("no answer in time")), TIMEOUT);
        fetching.then(resolve, reject).finally(() => clearTimeout(timer));
    });
}

async function leave() {
    await removeCaches(() => true);
    await self.registration.unregister();
}

async function removeCaches(isUnwanted) {
    const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && isUnwanted(name));
    await Promise.all(names.map((name) => caches.delete(name)));
}
