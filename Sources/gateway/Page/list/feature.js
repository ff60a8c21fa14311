// The list of devices: the first screen.

import { LIST } from "./address.js";
import { ListScreen } from "./listscreen.js";
import { listView } from "./listview.js";

/** @type {import("../common/feature.js").Feature} */
export const feature = {
    name: "list",
    screens: [{
        name: "list", parents: ["login", "signup", "forgot", "reset"], addresses: [LIST], view: listView,
        make: ({ model, handle, handleAtOnce, newID, times, entries }) => new ListScreen({
            toggle: (id) => handle((now) => model.fleet.pressed(id, newID(now), now)),
            refresh: () => handle(() => {
                model.fleet.refreshAsked();
                model.services.roster.refreshAsked();
            }),
            logOut: () => handle(() => model.logoutAsked()),
            filter: (text) => handleAtOnce(() => model.fleet.filterTyped(text)),
            choose: (id) => handleAtOnce(() => model.services.queues.choose(id)),
            send: (target) => handle((now) => model.services.queues.sendAsked(newID(now), target, now)),
            steer: (kind) => handle((now) => model.services.queues.steerAsked(kind, now)),
        }, times, entries),
    }],
};
