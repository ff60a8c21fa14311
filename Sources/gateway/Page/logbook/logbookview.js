// The view of the logbook, as texts and flags. Pure: a function of the model and the time.

import { datedConnectionView } from "../common/connectionview.js";
import * as texts from "../common/texts.js";
import { NEW_POST } from "./drafts.js";

const NEVER_READ = "You’re offline, and the logbook hasn’t been loaded on this device yet.";
const NO_COMMENTS = "No comments yet.";
const NO_COMMENTS_HERE = "Comments aren’t available offline.";

/** The screen with the posts; each row is a `postRowView`. */
export function logbookView(model, now) {
    const { connection, services: { logbook } } = model;
    const isBare = !logbook.hasList && !connection.isLive;
    return {
        connection: datedConnectionView(model, isBare ? undefined : asOf(logbook), now),
        rows: logbook.posts.map((post) => postRowView(post, now)),
        summary: logbook.hasList ? texts.count(logbook.total, "post") : "",
        nothing: nothing(logbook, isBare),
        error: logbook.error,
        isRefreshing: logbook.isListing,
        canRefresh: connection.isLive,
        hasOlder: logbook.hasOlder && connection.isLive,
        form: isBare || !connection.maySwitch ? null : {
            ...form(logbook, NEW_POST, "Post"), about: about(model, logbook.draft(NEW_POST)),
        },
    };
}

export function postView(model, now) {
    const { connection, fleet, services: { logbook } } = model;
    const number = model.route.number;
    const post = logbook.post(number);
    const seen = { number, connection: datedConnectionView(model, asOf(logbook), now) };
    if (post === undefined) return { ...seen, isKnown: false, text: whyUnknown(model) };
    const comments = logbook.comments(number);
    const { device } = post;
    const name = device === null ? "" : texts.label(fleet.devices.row(device) ?? {
        id: device, name: post.deviceName,
    });
    return {
        ...seen,
        isKnown: true,
        title: texts.visible(post.title, `Post ${number}`),
        author: post.author,
        at: post.writtenAtMs,
        body: post.body,
        device: device === null ? null : { id: device, name },
        site: post.site,
        count: texts.count(post.commentCount, "comment"),
        isOpen: logbook.isOpen,
        comments: comments ?? [],
        commentsText: commentsText(logbook, connection, comments, post),
        form: connection.maySwitch ? form(logbook, number, "Comment") : null,
    };
}

function postRowView(post, now) {
    const about = [post.deviceName || (post.device ?? post.site)].filter((text) => text !== "");
    return {
        number: post.id,
        title: texts.visible(post.title, `Post ${post.id}`),
        author: post.author,
        line: [texts.ago(now - post.writtenAtMs), ...about].join(" · "),
        comments: texts.count(post.commentCount, "comment"),
    };
}

/** The name of a draft's subject; null for none. */
function about({ fleet }, { device, site }) {
    if (device === null) return site === "" ? null : texts.visible(site, "a site");
    return texts.label(fleet.devices.row(device) ?? { id: device, name: "" });
}

function form(logbook, number, button) {
    const { title, body, isBusy, requestId, error } = logbook.draft(number);
    const isFilled = (number === NEW_POST ? title : body).trim() !== "";
    const text = isBusy ? "Sending…" : requestId !== null ? "Send again" : button;
    return { title, body, isBusy, error, button: text, canSend: isFilled && !isBusy && logbook.canWrite };
}

function asOf(logbook) { return logbook.hasList ? logbook.asOf : null; }

function nothing(logbook, isBare) {
    if (isBare) return NEVER_READ;
    if (logbook.posts.length > 0) return "";
    if (logbook.hasList) return "No posts yet.";
    return logbook.error === "" ? "Loading…" : "";
}

function whyUnknown({ connection, services: { logbook } }) {
    if (logbook.fetching === "missing") return "This post doesn’t exist any more.";
    if (!connection.isLive) return NEVER_READ.replace("logbook", "post");
    return logbook.fetching === "failed" ? logbook.fetchError : "Loading…";
}

function commentsText({ fetching, fetchError }, connection, comments, { commentCount }) {
    if (comments === undefined && commentCount === 0) return NO_COMMENTS;
    if (comments !== undefined) return comments.length === 0 ? NO_COMMENTS : "";
    if (!connection.isLive) return NO_COMMENTS_HERE;
    return fetching === "failed" ? fetchError : "Loading…";
}
