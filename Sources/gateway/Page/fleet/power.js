// A device's switch.

import { element, setAttribute } from "../common/dom.js";

/** A switch that keeps the focus while it is disabled, and shows the reason as its tooltip. */
export class PowerSwitch {
    element = element("button", { type: "button", role: "switch", class: "switch" },
        element("span", { class: "thumb" }));

    /** @param {() => void} press Called when the switch is pressed. */
    constructor(press) {
        this.element.addEventListener("click", () => {
            if (this.element.getAttribute("aria-disabled") !== "true") press();
        });
    }

    /** @param {{isOn, isPending, canPress, why}} view */
    draw({ isOn, isPending, canPress, why }, name) {
        setAttribute(this.element, "aria-label", name);
        setAttribute(this.element, "aria-checked", isOn);
        setAttribute(this.element, "aria-disabled", !canPress);
        setAttribute(this.element, "aria-busy", isPending);
        setAttribute(this.element, "title", why === "" ? null : why);
        this.element.classList.toggle("pending", isPending);
    }
}
