// The logbook of the account.

import { failureOf, Lost } from "../common/gateway.js";
import { ABOUT_DEVICE, ABOUT_SITE, LOGBOOK, POST } from "./address.js";
import { NEW_POST } from "./drafts.js";
import { Logbook } from "./logbook.js";
import { LogbookScreen } from "./logbookscreen.js";
import { logbookView, postView } from "./logbookview.js";
import { commentFrom, logbookFrom, openedPostFrom, postFrom, postListFrom } from "./logbookwire.js";
import { PostScreen } from "./postscreen.js";

/** @type {import("../common/feature.js").Feature} */
export const feature = {
    name: "logbook",
    entry: { href: LOGBOOK.hashOf(), label: "Logbook", icon: "logbook" },
    screens: [
        {
            name: "logbook", parents: ["list"], addresses: [ABOUT_DEVICE, ABOUT_SITE, LOGBOOK],
            view: logbookView, make: logbookScreen,
        },
        {
            name: "post", parents: ["logbook"], addresses: [POST],
            view: postView, title: ({ title }) => title, make: postScreen,
        },
    ],
    service: ({ connection, notices, perform }) => new Logbook(connection, notices, perform),
    stored: { from: logbookFrom },
    messages: ["writePost", "writeComment"],
    effects: ({ model, gateway, store, attempt }) => {
        const write = (path, number, { requestId, ...body }, read, done) =>
            attempt(gateway.send("POST", path, { body: { requestId, ...body }, read }), {
                done,
                failed: (error) => {
                    const isLost = error instanceof Lost;
                    // A changed token of the session does not show whether an earlier attempt succeeded.
                    const message = failureOf(error) === "lost" ? "" : error.message;
                    const reusesId = isLost || error.status === 403;
                    model.services.logbook.sendFailed(number, requestId, message, isLost, reusesId);
                    if (error.status === 403) model.askForSession();
                },
            });
        return {
            posts: ({ before }) => {
                const query = before === null ? "" : `?before=${before}`;
                return attempt(gateway.get(`/page/posts${query}`, postListFrom), {
                    done: (list, now) => model.services.logbook.listed({ before, ...list }, now),
                    failed: (error) => model.services.logbook.listFailed(error.message),
                });
            },
            post: ({ number }) => attempt(gateway.get(`/page/posts/${number}`, openedPostFrom), {
                done: (read) => model.services.logbook.fetched(read),
                failed: (error) =>
                    model.services.logbook.fetchFailed(number, error.message, error.status === 404),
            }),
            writePost: ({ requestId, title, body, device, site }) => {
                const about = device !== null ? { device } : site !== "" ? { site } : {};
                const post = { requestId, title, body, ...about };
                return write("/page/posts", NEW_POST, post, postFrom, (written, now) =>
                    model.services.logbook.postWritten(requestId, written, now));
            },
            writeComment: ({ number, requestId, body }) =>
                write(`/page/posts/${number}/comments`, number, { requestId, body }, commentFrom, (written) =>
                    model.services.logbook.commentWritten(requestId, written)),
            storeDraft: ({ number, draft }) => store.storeDraft(number, model.email, draft),
        };
    },
};

function logbookScreen(page) {
    const { model, handle, handleAtOnce, back } = page;
    return new LogbookScreen({
        refresh: () => handle(() => model.services.logbook.list()),
        older: () => handle(() => model.services.logbook.olderAsked()),
        typed: (texts) => handleAtOnce(() => model.services.logbook.typed(NEW_POST, texts)),
        sent: () => send(page, NEW_POST),
        dropped: () => {
            // A reload of the page must not restore the subject.
            history.replaceState(null, "", LOGBOOK.hashOf());
            handle(() => model.services.logbook.about({}));
        },
        back,
    });
}

function postScreen(page) {
    const { model, handle, handleAtOnce, back, times } = page;
    return new PostScreen({
        opened: (isOpen) => handle(() => model.services.logbook.commentsAsked(isOpen)),
        typed: ({ body }) => handleAtOnce(() => model.services.logbook.typed(model.route.number, { body })),
        sent: () => send(page, model.route.number),
        back,
    }, times);
}

function send({ model, handle, newID }, number) {
    handle((now) => model.services.logbook.sendAsked(number, newID(now)));
}
