// Has the browser store the page, so that it starts without a connection.

/** Registers the service worker. Browsers have one on this machine (localhost) and over TLS alone. */
export async function storePage() {
    if (navigator.serviceWorker === undefined) return;
    try {
        await navigator.serviceWorker.register("/page/worker.js", { scope: "/" });
    } catch (error) {
        console.warn(`The page will not start offline: ${error.message}`);
    }
}
