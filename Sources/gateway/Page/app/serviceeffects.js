// The implementation of the effects of the account services: logbook, sites, sequences and roster.

import { NEW_POST } from "../logbook/drafts.js";
import { failureOf, Lost } from "./gateway.js";
import { PAGE_SIZE } from "../site/sites.js";

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
    const sequenceFailed = (error, now) => {
        model.sequences.sendFailed(error.message, error instanceof Lost, now);
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
        sequences: () => attempt(gateway.sequences(), {
            done: (found) => model.sequences.listed(found),
            failed: () => model.sequences.lookFailed(null),
        }),
        sequence: ({ id }) => attempt(gateway.sequence(id), {
            done: (sequence, now) => model.sequences.looked(sequence, now),
            failed: (error) => model.sequences.lookFailed(error.status === 404 ? id : null),
        }),
        startSequence: ({ requestId, device }) => attempt(gateway.startSequence(requestId, device, csrf()), {
            done: (sequence, now) => model.sequences.came(sequence, now),
            failed: (error, now) => sequenceFailed(error, now),
        }),
        steerSequence: ({ id, kind }) => attempt(gateway.steerSequence(id, kind, csrf()), {
            done: (sequence, now) => model.sequences.came(sequence, now),
            failed: (error, now) => sequenceFailed(error, now),
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
