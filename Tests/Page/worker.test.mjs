import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const TEXT = readFileSync(new URL("../../Sources/gateway/Page/worker.js", import.meta.url), "utf8");
const ORIGIN = "http://localhost:8701";
const FILES = ["/", "/page/main.js", "/page/style.css"];

/** A browser's caches, which survive the workers of their origin. */
class Caches {
    all = new Map();

    async open(name) {
        if (!this.all.has(name)) this.all.set(name, new Map());
        const stored = this.all.get(name);
        return { put: async (path, response) => void stored.set(path, response) };
    }

    async keys() { return [...this.all.keys()]; }

    async delete(name) { return this.all.delete(name); }

    async match(path, { cacheName }) { return this.all.get(cacheName)?.get(path)?.clone(); }

    /** The stored paths, by cache. */
    get stored() { return Object.fromEntries([...this.all].map(([name, stored]) => [name, [...stored.keys()]])); }
}

/** A gateway of a release that answers, hangs, or is unreachable. */
function gatewayOf(release, other = {}) {
    const headers = release === null ? {} : { "Sensibus-Release": release };
    return { state: "reachable", answer: (path) => new Response(`${path} of ${release}`, { headers }), ...other };
}

/** A service worker of a release, as the gateway serves it. */
class Worker {
    handlers = {};
    asked = [];
    isUnregistered = false;
    isActive = false;
    timers = [];

    constructor(release, gateway, caches = new Caches()) {
        Object.assign(this, { gateway, caches });
        const self = {
            location: { origin: ORIGIN },
            addEventListener: (name, handler) => { this.handlers[name] = handler; },
            skipWaiting: async () => { this.isActive = true; },
            registration: { unregister: async () => { this.isUnregistered = true; } },
        };
        const context = vm.createContext({
            self, caches, URL, Response, Error, Promise,
            setTimeout: (run) => this.timers.push(run), clearTimeout: () => {},
            fetch: async (what) => {
                const path = new URL(what.url ?? what, ORIGIN).pathname;
                this.asked.push(path);
                if (this.gateway.state === "hangs") return new Promise(() => {});
                if (this.gateway.state === "unreachable") throw new TypeError("Failed to fetch");
                return this.gateway.answer(path);
            },
        });
        vm.runInContext(`const SHELL = ${JSON.stringify({ release, files: FILES })};\n${TEXT}`, context);
    }

    /** Sends it an event. @returns Its answer; undefined if the browser handles the request itself. */
    async handle(name, event = {}) {
        let answer;
        const waits = [];
        this.handlers[name]({
            waitUntil: (work) => waits.push(work), respondWith: (work) => { answer = work; }, ...event,
        });
        // The worker's timeout expires if it waits.
        await Promise.resolve();
        await Promise.resolve();
        if (this.gateway.state === "hangs") for (const run of this.timers.splice(0)) run();
        const answered = await answer;
        await Promise.all(waits);
        return answered;
    }

    ask(path, { method = "GET", mode = "cors", origin = ORIGIN, ...clients } = {}) {
        return this.handle("fetch", { request: { method, mode, url: origin + path }, ...clients });
    }

    navigate(path = "/", client = "1") { return this.ask(path, { mode: "navigate", resultingClientId: client }); }

    static async installed(release, gateway = gatewayOf(release), caches = new Caches()) {
        const worker = new Worker(release, gateway, caches);
        await worker.handle("install");
        await worker.handle("activate");
        return worker;
    }
}

const textOf = async (response) => (await response).text();

test("the worker stores only the files of its release", async () => {
    const worker = await Worker.installed("a1");
    const stored = { "sensibus-page-a1": FILES };
    assert.deepEqual(worker.caches.stored, stored);
    assert.equal(worker.isActive, true);
    const requests = [
        ["/page/session"], ["/page/devices"], ["/page/live"], ["/page/roster"], ["/page/posts?before=3"],
        ["/page/ways"], ["/page/worker.js"], ["/api/v2/users/me/pods"], ["/metrics"],
        ["/", { method: "POST" }], ["/page/main.js", { method: "POST" }], ["/"],
        ["/page/main.js", { origin: "http://elsewhere.example" }], ["/page/devices", { mode: "navigate" }],
    ];
    for (const [path, how] of requests) assert.equal(await worker.ask(path, how), undefined, path);
    await textOf(worker.navigate());
    await textOf(worker.ask("/page/main.js", { clientId: "1" }));
    assert.deepEqual(worker.caches.stored, stored);
});

test("while the gateway answers, the page comes from it and not from the cache", async () => {
    const worker = await Worker.installed("a1");
    worker.gateway = gatewayOf("b2");
    assert.equal(await textOf(worker.navigate()), "/ of b2");
    assert.equal(await textOf(worker.ask("/page/main.js", { clientId: "1" })), "/page/main.js of b2");
    worker.gateway = { state: "reachable", answer: () => new Response("busy", { status: 503 }) };
    assert.equal((await worker.navigate()).status, 503);
    assert.equal(worker.isUnregistered, false, "an error may come from a proxy of the same gateway");
});

test("without a connection, or after four seconds without an answer, the stored page is served", async () => {
    for (const state of ["unreachable", "hangs"]) {
        const worker = await Worker.installed("a1");
        worker.gateway = gatewayOf("a1", { state });
        assert.equal(await textOf(worker.navigate("/?rehearse=7")), "/ of a1", state);
        for (const path of FILES.slice(1)) {
            assert.equal(await textOf(worker.ask(path, { clientId: "1" })), `${path} of a1`, state);
        }
    }
});

test("a worker that the browser restarted serves the stored files", async () => {
    const { caches } = await Worker.installed("a1");
    const worker = new Worker("a1", gatewayOf("a1", { state: "unreachable" }), caches);
    assert.equal(await textOf(worker.ask("/page/main.js", { clientId: "1" })), "/page/main.js of a1");
});

test("files of two releases are never mixed", async () => {
    const worker = await Worker.installed("a1");
    worker.gateway = gatewayOf("b2");
    await worker.navigate();
    worker.gateway.state = "unreachable";
    await assert.rejects(worker.ask("/page/main.js", { clientId: "1" }), { name: "TypeError" });
    await worker.navigate("/", "2");
    worker.gateway.state = "reachable";
    assert.equal(await textOf(worker.ask("/page/main.js", { clientId: "2" })), "/page/main.js of a1");
});

test("a new release replaces the old one, and does not touch other caches of the origin", async () => {
    const { caches } = await Worker.installed("a1");
    await caches.open("another-program");
    await Worker.installed("b2", gatewayOf("b2"), caches);
    assert.deepEqual(caches.stored, { "another-program": [], "sensibus-page-b2": FILES });
});

test("a worker whose files are of another release, or cannot be fetched, is not installed", async () => {
    const { caches } = await Worker.installed("a1");
    for (const gateway of [gatewayOf("c3"), gatewayOf("b2", { state: "unreachable" }), gatewayOf(null)]) {
        const worker = new Worker("b2", gateway, caches);
        await assert.rejects(worker.handle("install"));
        assert.equal(worker.isActive, false);
        assert.deepEqual(caches.stored, { "sensibus-page-a1": FILES });
    }
});

test("if another server answers at the address, the worker removes its files and itself", async () => {
    const worker = await Worker.installed("a1");
    worker.gateway = gatewayOf(null);
    assert.equal(await textOf(worker.navigate()), "/ of null");
    assert.deepEqual(worker.caches.stored, {});
    assert.equal(worker.isUnregistered, true);
});
