// Stores the page in the browser, so that it starts without a connection.

/** Registers the service worker. Browsers allow one only on localhost and over TLS. */
export async function storePage() {
    if (navigator.serviceWorker === undefined) return;
    try {
        await navigator.serviceWorker.register("/page/worker.js", { scope: "/" });
    } catch (error) {
        console.warn(`The page will not start offline: ${error.message}`);
    }
}
