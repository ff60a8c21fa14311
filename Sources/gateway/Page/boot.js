// Shows a message and a button if the page cannot start, for instance because a module is missing. This file
// is a classic script, so that it runs even then. It does nothing once a screen is shown.

window.addEventListener("error", ({ target }) => {
    const place = document.getElementById("loading");
    const isCode = target === window || target instanceof HTMLScriptElement;
    if (place === null || !isCode || place.querySelector("button") !== null) return;
    const again = document.createElement("button");
    again.className = "secondary";
    again.textContent = "Reload";
    again.addEventListener("click", () => location.reload());
    const message = document.createElement("p");
    message.textContent = "This page couldn’t be loaded completely.";
    message.setAttribute("role", "alert");
    place.className = "failed";
    place.replaceChildren(message, again);
}, true);
