// The devices and the requests for them: what each screen with devices needs of the gateway and the browser.

import { COMMAND_TIMEOUT, Lost } from "../common/gateway.js";
import { cancelFrom, deviceListFrom, filteredFrom, historyFrom, outcomeFrom } from "./fleetwire.js";

/** @type {import("../common/feature.js").Feature} */
export const feature = {
    name: "fleet",
    screens: [],
    messages: ["toggle", "cancel"],
    effects: ({ model, gateway, store, attempt }) => ({
        list: () => attempt(gateway.get("/page/devices", deviceListFrom), {
            done: (list, now) => model.fleet.listed(list, now),
            failed: (error, now) => model.fleet.listFailed(error.message, now),
        }),
        filter: ({ question }) => {
            const body = { condition: question.text, devices: question.ids ?? undefined };
            return attempt(gateway.send("POST", "/page/devices/filter", { body, read: filteredFrom }), {
                done: (answer) => model.fleet.filterAnswered(question, answer),
                failed: (error) => {
                    model.fleet.filterAnswered(question, null);
                    if (error.status === 403) model.askForSession();
                },
            });
        },
        history: ({ id }) => attempt(gateway.get(`/page/devices/${id}/history`, historyFrom), {
            done: (past, now) => model.fleet.past.came(id, past, now),
            failed: (error) => model.fleet.past.failed(id, error.message),
        }),
        toggle: ({ id, requestId, incarnation, version }) => {
            const body = { requestId, incarnation, version };
            const message = { body, read: outcomeFrom, timeout: COMMAND_TIMEOUT, waitsForTurn: true };
            return attempt(gateway.send("POST", `/page/devices/${id}/toggle`, message), {
                done: (outcome, now) => model.fleet.outcomeCame({ ...outcome, device: id }, now),
                failed: (error, now) => {
                    if (error instanceof Lost) return model.fleet.answerLost(requestId, now);
                    const refusal = { kind: "refused", message: error.message, actor: "", at: now };
                    model.fleet.outcomeCame({ requestId, device: id, ...refusal }, now);
                    if (error.status === 403) model.askForSession();
                },
            });
        },
        outcome: ({ requestId }) => attempt(gateway.get(`/page/requests/${requestId}`, outcomeFrom), {
            done: (outcome, now) => model.fleet.outcomeCame(outcome, now),
            failed: (error, now) => error.status === 404
                ? model.fleet.outcomeUnseen(requestId, now) : model.fleet.answerLost(requestId, now),
        }),
        cancel: ({ requestId }) =>
            attempt(gateway.send("POST", `/page/requests/${requestId}/cancel`, { read: cancelFrom }), {
                done: (answer, now) => model.fleet.cancelAnswered({ requestId, ...answer }, now),
                failed: (error, now) =>
                    model.fleet.cancelAnswered({ requestId, kind: "lost", message: error.message }, now),
            }),
        store: ({ email, at }) => store.storeList(email, at, [...model.fleet.devices.rows()]),
        storeCommand: ({ command }) => store.storeCommand(model.email, command),
        dropCommand: ({ requestId }) => store.dropCommand(requestId),
    }),
};
