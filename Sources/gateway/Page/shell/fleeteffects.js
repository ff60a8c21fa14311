// The implementation of the effects for devices and their requests.

import { Lost } from "./gateway.js";

/**
 * @param {object} page The page's `model` and `gateway`; `attempt`, which waits for an answer and passes it
 *     to the model; and `csrf`, which returns the session's token.
 */
export function fleetEffects({ model, gateway, attempt, csrf }) {
    return {
        list: () => attempt(gateway.devices(), {
            done: (devices, now) => model.fleet.listed(devices, now),
            failed: (error, now) => model.fleet.listFailed(error.message, now),
        }),
        history: ({ id }) => attempt(gateway.history(id), {
            done: (past, now) => model.fleet.historyCame(id, past, now),
            failed: (error) => model.fleet.historyFailed(id, error.message),
        }),
        toggle: ({ id, ...toggle }) => attempt(gateway.toggle(id, toggle, csrf()), {
            done: (outcome, now) => model.fleet.outcomeCame(outcome, now),
            failed: (error, now) => {
                const { requestId } = toggle;
                if (error instanceof Lost) return model.fleet.answerLost(requestId, now);
                const refusal = { kind: "refused", message: error.message, actor: "", at: now };
                model.fleet.outcomeCame({ requestId, device: id, ...refusal }, now);
                if (error.status === 403) model.askForSession();
            },
        }),
        outcome: ({ requestId }) => attempt(gateway.outcome(requestId), {
            done: (outcome, now) => outcome === null
                ? model.fleet.outcomeUnseen(requestId, now) : model.fleet.outcomeCame(outcome, now),
            failed: (_, now) => model.fleet.answerLost(requestId, now),
        }),
        cancel: ({ requestId }) => attempt(gateway.cancel(requestId, csrf()), {
            done: (answer, now) => model.fleet.cancelAnswered({ requestId, ...answer }, now),
            failed: (error, now) =>
                model.fleet.cancelAnswered({ requestId, kind: "lost", message: error.message }, now),
        }),
    };
}
