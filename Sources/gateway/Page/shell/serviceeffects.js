// The implementation of the effects of the account services: logbook, sites, queues and roster.

import { NEW_POST } from "../logbook/drafts.js";
import { PAGE_SIZE } from "../site/sites.js";
import { failureOf, Lost } from "./gateway.js";

/**
 * @param {object} page The page's `model`, `gateway` and `store`; `attempt`, which waits for an answer and
 *     passes it to the model; and `csrf`, which returns the session's token.
 */
export function serviceEffects({ model, gateway, store, attempt, csrf }) {
    const writingFailed = (number, { requestId }, error) => {
        const isLost = error instanceof Lost;
        // A changed token of the session does not show whether an earlier attempt succeeded.
        const message = failureOf(error) === "lost" ? "" : error.message;
        model.logbook.sendFailed(number, requestId, message, isLost, isLost || error.status === 403);
        if (error.status === 403) model.askForSession();
    };
    const queueFailed = (error, now) => {
        model.queues.sendFailed(error.message, error instanceof Lost, now);
        if (error.status === 403) model.askForSession();
    };
    return {
        posts: ({ before }) => attempt(gateway.posts(before), {
            done: (list, now) => model.logbook.listed(list, now),
            failed: (error) => model.logbook.listFailed(error.message),
        }),
        post: ({ number }) => attempt(gateway.post(number), {
            done: (read) => model.logbook.fetched(read),
            failed: (error) => model.logbook.fetchFailed(number, error.message, error.status === 404),
        }),
        writePost: (draft) => attempt(gateway.writePost(draft, csrf()), {
            done: (written, now) => model.logbook.postWritten(draft.requestId, written, now),
            failed: (error) => writingFailed(NEW_POST, draft, error),
        }),
        writeComment: (draft) => attempt(gateway.writeComment(draft, csrf()), {
            done: (written) => model.logbook.commentWritten(draft.requestId, written),
            failed: (error) => writingFailed(draft.number, draft, error),
        }),
        sites: ({ page }) => attempt(gateway.sites(page, PAGE_SIZE), {
            done: (list, now) => model.sites.pageCame(list, now),
            failed: (error) => model.sites.listFailed(page, failureOf(error), error.message),
        }),
        site: ({ id }) => attempt(gateway.site(id), {
            done: (opened, now) => model.sites.fetched(opened, now),
            failed: (error) => model.sites.fetchFailed(id, failureOf(error), error.message),
        }),
        queues: () => attempt(gateway.queues(), {
            done: (found) => model.queues.listed(found),
            failed: () => model.queues.lookFailed(null),
        }),
        queue: ({ id }) => attempt(gateway.queue(id), {
            done: (queue, now) => model.queues.looked(queue, now),
            failed: (error) => model.queues.lookFailed(error.status === 404 ? id : null),
        }),
        startQueue: ({ requestId, device }) => attempt(gateway.startQueue(requestId, device, csrf()), {
            done: (queue, now) => model.queues.came(queue, now),
            failed: (error, now) => queueFailed(error, now),
        }),
        steerQueue: ({ id, kind }) => attempt(gateway.steerQueue(id, kind, csrf()), {
            done: (queue, now) => model.queues.came(queue, now),
            failed: (error, now) => queueFailed(error, now),
        }),
        roster: () => attempt(gateway.roster(), {
            done: (roster, now) => model.services.roster.came(roster, now),
            failed: (error, now) => model.services.roster.failed(error.message, now),
        }),
        storeDraft: ({ number, draft }) => store.storeDraft(number, model.email, draft),
        storeService: ({ service }) =>
            store.storeService(service, model.email, model.services[service].dataToStore()),
    };
}
