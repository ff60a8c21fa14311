// The screen of one device.

import { DEVICE } from "./address.js";
import { DeviceScreen } from "./devicescreen.js";
import { deviceView } from "./deviceview.js";

/** @type {import("../common/feature.js").Feature} */
export const feature = {
    name: "device",
    screens: [{
        name: "device", parents: ["list"], addresses: [DEVICE], view: deviceView, title: ({ name }) => name,
        make: ({ model, handle, newID, back, times }) => new DeviceScreen({
            toggle: () => handle((now) => model.fleet.pressed(model.route.id, newID(now), now)),
            cancel: () => handle(() => model.fleet.cancelAsked(model.route.id)),
            back,
        }, times),
    }],
};
