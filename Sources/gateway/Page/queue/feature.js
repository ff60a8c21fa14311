// The command queue, whose card is on the first screen.

import { Lost } from "../common/gateway.js";
import { Queues } from "./queues.js";
import { queueFrom, queueListFrom, storedQueuesFrom } from "./queuewire.js";

/** @type {import("../common/feature.js").Feature} */
export const feature = {
    name: "queues",
    screens: [],
    service: ({ connection, perform }) => new Queues(connection, perform),
    // Earlier versions stored command queues under their former name. A pending start is only here.
    stored: { from: storedQueuesFrom, key: "sensibus.sequences", isFetched: false },
    messages: ["startQueue", "steerQueue"],
    effects: ({ model, gateway, attempt }) => {
        const send = (path, body) => attempt(gateway.send("POST", path, { body, read: queueFrom }), {
            done: (queue, now) => model.services.queues.came(queue, now),
            failed: (error, now) => {
                model.services.queues.sendFailed(error.message, error instanceof Lost, now);
                if (error.status === 403) model.askForSession();
            },
        });
        return {
            queues: () => attempt(gateway.get("/page/queues", queueListFrom), {
                done: (found) => model.services.queues.listed(found),
                failed: () => model.services.queues.lookFailed(null),
            }),
            queue: ({ id }) => attempt(gateway.get(`/page/queues/${id}`, queueFrom), {
                done: (queue, now) => model.services.queues.looked(queue, now),
                failed: (error) => model.services.queues.lookFailed(error.status === 404 ? id : null),
            }),
            startQueue: ({ requestId, device }) => send("/page/queues", { requestId, device }),
            steerQueue: ({ id, kind }) => send(`/page/queues/${id}/${kind}`),
        };
    },
};
