import assert from "node:assert/strict";
import { test } from "node:test";

import { NEW_POST } from "../../Sources/gateway/Page/logbook/drafts.js";
import { CHARACTERS_STORED, POSTS_STORED } from "../../Sources/gateway/Page/logbook/logbook.js";
import { logbookView, postView } from "../../Sources/gateway/Page/logbook/logbookview.js";
import { commentFrom, draftFrom, logbookFrom, postFrom } from "../../Sources/gateway/Page/logbook/logbookwire.js";
import { Page, request, row, SESSION } from "./samples.mjs";

function post(id, other = {}) {
    return {
        id, title: `Post ${id}`, body: "words", author: "ann@example.com", writtenAtMs: 1_000 * id, device: null,
        deviceName: "", site: "", commentCount: 0, ...other,
    };
}

function comment(id, postId, body = "words") {
    return { id, postId, name: "ben@example.com", body, writtenAtMs: 2_000 };
}

/** Posts with those numbers, the newest first. */
function posts(newest, oldest) {
    return Array.from({ length: newest - oldest + 1 }, (_, index) => post(newest - index));
}

/** A page on a screen of the logbook, with its requests. */
function pageAt(route, session = SESSION) {
    const page = Page.live([row("1")], session);
    return { page, asked: page.handle((model) => model.routed(route)) };
}

function listed(page, before, shown, total) {
    return page.handle((model, now) => model.services.logbook.listed({ before, posts: shown, total }, now));
}

function view(page) { return logbookView(page.model, page.now); }

function detail(page) { return postView(page.model, page.now); }

function numbers(page) { return view(page).rows.map((one) => one.number); }

const LIST = { screen: "logbook" };
const POST = { screen: "post", number: 7 };

test("the newest posts are requested once when the logbook opens", () => {
    const { page, asked } = pageAt(LIST);
    assert.deepEqual(asked, [{ do: "posts", before: null }]);
    assert.deepEqual(page.handle((model) => model.services.logbook.list()), []);
    assert.equal(view(page).nothing, "Loading…");
    listed(page, null, posts(3, 1), 3);
    assert.deepEqual(numbers(page), [3, 2, 1]);
    assert.equal(view(page).summary, "3 posts");
});

test("older posts are appended page by page", () => {
    const { page } = pageAt(LIST);
    listed(page, null, posts(10, 6), 10);
    assert.ok(view(page).hasOlder);
    assert.deepEqual(page.handle((model) => model.services.logbook.olderAsked()), [{ do: "posts", before: 6 }]);
    listed(page, 6, posts(5, 1), 10);
    assert.deepEqual(numbers(page), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert.ok(!view(page).hasOlder);
});

test("newer posts are joined to the list only if none is missing in between", () => {
    const { page } = pageAt(LIST);
    listed(page, null, posts(3, 1), 3);
    listed(page, null, posts(5, 3), 5);
    assert.deepEqual(numbers(page), [5, 4, 3, 2, 1]);
    listed(page, null, posts(60, 50), 60);
    assert.deepEqual(numbers(page).at(-1), 50);
    assert.ok(view(page).hasOlder);
});

test("a list that fails shows the error, and its posts stay", () => {
    const { page } = pageAt(LIST);
    listed(page, null, posts(1, 1), 1);
    page.handle((model) => model.services.logbook.list());
    page.handle((model) => model.services.logbook.listFailed("no controller"));
    assert.equal(view(page).error, "no controller");
    assert.deepEqual(numbers(page), [1]);
    assert.ok(!view(page).isRefreshing);
});

test("a first start without a connection shows one sentence", () => {
    const page = new Page();
    page.start({ stored: { email: SESSION.email, at: 1, devices: [] }, route: LIST });
    page.handle((model, now) => model.sessionLost(false, now));
    const seen = view(page);
    assert.match(seen.nothing, /You’re offline, and the logbook hasn’t been loaded/);
    assert.deepEqual([seen.rows, seen.summary, seen.error, seen.form, seen.connection.detail], [[], "", "", null, ""]);
});

test("without a connection stored posts are shown with title, author, body and number of comments", () => {
    const page = new Page();
    const stored = { posts: [post(7, { commentCount: 2 })], total: 9, at: 500, comments: [] };
    page.start({ stored: null, services: { logbook: { email: SESSION.email, ...stored } }, route: POST });
    page.handle((model, now) => model.sessionLost(false, now));
    const seen = detail(page);
    assert.deepEqual([seen.title, seen.author, seen.body, seen.count],
        ["Post 7", "ann@example.com", "words", "2 comments"]);
    page.handle((model) => model.services.logbook.commentsAsked(true));
    assert.match(detail(page).commentsText, /Comments aren’t available offline/);
    assert.deepEqual(page.handle((model) => model.routed(LIST)), []);
    assert.deepEqual(numbers(page), [7]);
});

test("without a connection opened comments are shown", () => {
    const page = new Page();
    const comments = [[7, [comment(1, 7, "first"), comment(2, 7, "second")]]];
    const stored = { posts: [post(7, { commentCount: 2 })], total: 1, at: 500, comments };
    page.start({ stored: null, services: { logbook: { email: SESSION.email, ...stored } }, route: POST });
    page.handle((model) => model.services.logbook.commentsAsked(true));
    const seen = detail(page);
    assert.deepEqual(seen.comments.map((one) => one.body), ["first", "second"]);
    assert.equal(seen.commentsText, "");
});

test("another user's stored logbook is ignored", () => {
    const page = new Page();
    const stored = { posts: [post(7)], total: 1, at: 500, comments: [] };
    page.start({
        stored: { email: SESSION.email, at: 1, devices: [] }, services: { logbook: { email: "eve@example.com", ...stored } },
        route: LIST,
    });
    assert.deepEqual(numbers(page), []);
});

test("comments are fetched when they are opened", () => {
    const { page } = pageAt(LIST);
    listed(page, null, [post(7)], 1);
    assert.deepEqual(page.handle((model) => model.routed(POST)), []);
    assert.ok(!detail(page).isOpen);
    assert.deepEqual(page.handle((model) => model.services.logbook.commentsAsked(true)), [{ do: "post", number: 7 }]);
    page.handle((model) => model.services.logbook.fetched({ post: post(7), comments: [comment(1, 7)] }));
    assert.deepEqual([detail(page).count, detail(page).comments.length], ["1 comment", 1]);
});

test("a post opened by its address is fetched, and a missing one is reported", () => {
    const { page, asked } = pageAt(POST);
    assert.deepEqual(asked, [{ do: "post", number: 7 }]);
    assert.equal(detail(page).text, "Loading…");
    page.handle((model) => model.services.logbook.fetchFailed(7, "not there", true));
    assert.match(detail(page).text, /This post doesn’t exist any more/);
});

test("a post is sent with one ID until it is written", () => {
    const { page } = pageAt(LIST);
    listed(page, null, [], 0);
    page.handle((model) => model.services.logbook.typed(NEW_POST, { title: "Leak", body: "in the hall" }));
    assert.ok(view(page).form.canSend);
    const texts = { title: "Leak", body: "in the hall", device: null, site: "" };
    const sent = { do: "writePost", requestId: request(1), ...texts };
    const [stored, ...others] = page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(1)));
    assert.deepEqual([stored.do, stored.number, stored.draft.sent], ["storeDraft", NEW_POST, { ...texts, requestId: request(1) }]);
    assert.deepEqual(others, [sent]);
    assert.deepEqual(page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(2))), []);
    page.handle((model) => model.services.logbook.sendFailed(NEW_POST, request(1), "", true));
    assert.equal(view(page).form.button, "Send again");
    assert.equal(view(page).form.title, "Leak");
    assert.deepEqual(page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(3))).at(-1), sent);
    page.handle((model, now) => model.services.logbook.postWritten(request(1), post(1, { title: "Leak" }), now));
    assert.equal(view(page).form.title, "");
    assert.deepEqual(numbers(page), [1]);
    assert.equal(view(page).summary, "1 post");
});

test("a post can be about a device, and is then a different text", () => {
    const { page } = pageAt({ ...LIST, device: "1" });
    assert.equal(view(page).form.about, "Bedroom 1");
    page.handle((model) => model.services.logbook.typed(NEW_POST, { title: "Leak", body: "" }));
    const [, sent] = page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(1)));
    assert.equal(sent.device, "1");
    page.handle((model) => model.services.logbook.about({}));
    assert.equal(view(page).form.about, "Bedroom 1", "it is in flight");
    page.handle((model) => model.services.logbook.sendFailed(NEW_POST, request(1), "", true));
    page.handle((model) => model.routed(LIST));
    assert.deepEqual([view(page).form.about, view(page).form.button], ["Bedroom 1", "Send again"]);
    page.handle((model) => model.services.logbook.about({}));
    assert.deepEqual([view(page).form.about, view(page).form.title], [null, "Leak"]);
    const [, other] = page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(2)));
    assert.deepEqual([other.device, other.requestId], [null, request(2)]);
    page.handle((model, now) => model.services.logbook.postWritten(request(2), post(1, { title: "Leak" }), now));
    page.handle((model) => model.routed({ ...LIST, device: "gone" }));
    assert.equal(view(page).form.about, "gone");
    assert.equal(page.model.services.logbook.draft(NEW_POST).device, "gone");
});

test("a connection that returns does not change a draft", () => {
    const { page } = pageAt({ ...LIST, device: "1" });
    const comeBack = (one) => {
        one.handle((model, now) => model.sessionCame(SESSION, now));
        one.handle((model, now) => model.streamOpened({ isFresh: true }, now));
    };
    page.handle((model) => model.services.logbook.typed(NEW_POST, { title: "Leak", body: "" }));
    page.handle((model) => model.services.logbook.about({}));
    comeBack(page);
    assert.equal(view(page).form.about, null);
    page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(1)));
    page.handle((model) => model.services.logbook.sendFailed(NEW_POST, request(1), "", true));
    comeBack(page);
    assert.deepEqual([view(page).form.about, view(page).form.button], [null, "Send again"]);
    const again = new Page();
    const draft = draftFrom(page.model.services.logbook.draft(NEW_POST));
    const drafts = [{ email: SESSION.email, number: NEW_POST, draft }];
    again.start({ drafts, route: { ...LIST, device: "1" } });
    comeBack(again);
    const [, sent] = again.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(2)));
    assert.deepEqual([sent.requestId, sent.device], [request(1), null]);
    again.handle((model) => model.services.logbook.sendFailed(NEW_POST, request(1), "", true));
    again.handle((model) => model.routed({ ...LIST, site: "Home" }));
    assert.equal(view(again).form.about, "Home", "opening it changes the subject");
    again.handle((model) => model.routed(LIST));
    again.handle((model) => model.services.logbook.about({}));
    again.handle((model) => model.routed({ ...LIST, site: "Home" }));
    assert.equal(view(again).form.about, "Home", "and opening it again does too");
});

test("a post can be about a site, from the site's screen", () => {
    const { page } = pageAt({ ...LIST, site: "Home\u202e" });
    assert.equal(view(page).form.about, "Home\u202e");
    page.handle((model) => model.services.logbook.typed(NEW_POST, { title: "Painters", body: "" }));
    const stored = draftFrom(page.model.services.logbook.draft(NEW_POST));
    assert.deepEqual([stored.device, stored.site, stored.title], [null, "Home\u202e", "Painters"]);
    const [, sent] = page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(1)));
    assert.deepEqual([sent.device, sent.site], [null, "Home\u202e"]);
    page.handle((model) => model.services.logbook.sendFailed(NEW_POST, request(1), "no", false));
    page.handle((model) => model.routed({ ...LIST, device: "1" }));
    assert.equal(view(page).form.about, "Bedroom 1", "it is about one of them");
    const [, other] = page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(2)));
    assert.deepEqual([other.device, other.site], ["1", ""]);
});

test("a changed text has another ID", () => {
    const { page } = pageAt(LIST);
    page.handle((model) => model.services.logbook.typed(NEW_POST, { title: "Leak", body: "" }));
    page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(1)));
    page.handle((model) => model.services.logbook.sendFailed(NEW_POST, request(1), "", true));
    page.handle((model) => model.services.logbook.typed(NEW_POST, { title: "Leak!", body: "" }));
    const [, sent] = page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(2)));
    assert.equal(sent.requestId, request(2));
});

test("a refusal shows the reason, and the text stays", () => {
    const { page } = pageAt(LIST);
    page.handle((model) => model.services.logbook.typed(NEW_POST, { title: "Leak", body: "" }));
    page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(1)));
    page.handle((model) => model.services.logbook.sendFailed(NEW_POST, request(1), "title: too long", false));
    const { form } = view(page);
    assert.deepEqual([form.title, form.error, form.button], ["Leak", "title: too long", "Post"]);
});

test("a comment is shown on its post as soon as it is written", () => {
    const { page } = pageAt(LIST);
    listed(page, null, [post(7)], 1);
    page.handle((model) => model.routed(POST));
    page.handle((model) => model.services.logbook.typed(7, { body: "me too" }));
    const [, sent] = page.handle((model) => model.services.logbook.sendAsked(7, request(1)));
    assert.deepEqual(sent, { do: "writeComment", number: 7, requestId: request(1), body: "me too" });
    page.handle((model) => model.services.logbook.commentWritten(request(1), comment(1, 7, "me too")));
    page.handle((model) => model.services.logbook.fetched({ post: post(7), comments: [comment(1, 7, "me too")] }));
    assert.deepEqual([detail(page).count, detail(page).isOpen, detail(page).form.body], ["1 comment", true, ""]);
});

test("a new comment stays when an earlier request for comments is answered later", () => {
    const { page } = pageAt(LIST);
    listed(page, null, [post(7)], 1);
    page.handle((model) => model.routed(POST));
    const read = { do: "post", number: 7 };
    assert.deepEqual(page.handle((model) => model.services.logbook.commentsAsked(true)), [read]);
    page.handle((model) => model.services.logbook.typed(7, { body: "me too" }));
    page.handle((model) => model.services.logbook.sendAsked(7, request(1)));
    page.handle((model) => model.services.logbook.commentWritten(request(1), comment(2, 7, "me too")));
    const come = (...comments) => page.handle((model) => model.services.logbook.fetched({ post: post(7), comments }));
    assert.deepEqual(come(comment(1, 7)), [read]);
    const both = [comment(1, 7), comment(2, 7, "me too")];
    assert.deepEqual(come(...both).map((effect) => effect.do), ["storeService"]);
    assert.equal(detail(page).count, "2 comments");
});

test("an older answer without a connection is shown, and requested again with one", () => {
    const { page } = pageAt(LIST);
    listed(page, null, [post(7)], 1);
    page.handle((model) => model.routed(POST));
    page.handle((model) => model.services.logbook.commentsAsked(true));
    page.handle((model) => model.services.logbook.typed(7, { body: "me too" }));
    page.handle((model) => model.services.logbook.sendAsked(7, request(1)));
    page.handle((model) => model.services.logbook.commentWritten(request(1), comment(2, 7, "me too")));
    page.handle((model, now) => model.streamBroke({ isOver: false }, now));
    page.handle((model) => model.services.logbook.fetched({ post: post(7), comments: [comment(1, 7)] }));
    assert.equal(detail(page).count, "1 comment");
    const asked = page.handle((model, now) => model.streamOpened({ isFresh: true }, now));
    assert.ok(asked.some((one) => one.do === "post" && one.number === 7));
    page.handle((model) => model.services.logbook.fetched({ post: post(7), comments: [comment(1, 7), comment(2, 7)] }));
    assert.equal(detail(page).count, "2 comments");
});

test("a comment stays on its post when another screen is opened", () => {
    const { page } = pageAt(LIST);
    listed(page, null, [post(8), post(7)], 2);
    page.handle((model) => model.routed(POST));
    page.handle((model) => model.services.logbook.fetched({ post: post(7), comments: [] }));
    page.handle((model) => model.services.logbook.typed(7, { body: "me too" }));
    page.handle((model) => model.services.logbook.sendAsked(7, request(1)));
    page.handle((model) => model.routed({ screen: "post", number: 8 }));
    page.handle((model) => model.services.logbook.commentWritten(request(1), comment(2, 7, "me too")));
    assert.ok(!detail(page).isOpen);
    page.handle((model) => model.services.logbook.fetched({ post: post(7), comments: [] }));
    page.handle((model) => model.routed(POST));
    assert.equal(detail(page).count, "1 comment");
});

test("viewers read and do not write, and without a connection writing is not possible", () => {
    const viewer = pageAt(LIST, { ...SESSION, role: "viewer" }).page;
    listed(viewer, null, [post(7)], 1);
    assert.equal(view(viewer).form, null);
    const { page } = pageAt(LIST);
    page.handle((model) => model.services.logbook.typed(NEW_POST, { title: "Leak", body: "" }));
    page.handle((model, now) => model.onlineChanged(false, now));
    assert.ok(!view(page).form?.canSend);
    assert.deepEqual(page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(1))), []);
});

test("the stored logbook is limited to its room", () => {
    const { page } = pageAt(LIST);
    const body = "x".repeat(8_000);
    listed(page, null, posts(2_000, 1).map((one) => ({ ...one, body })), 2_000);
    const { posts: stored } = page.model.services.logbook.dataToStore();
    assert.ok(stored.length < POSTS_STORED);
    assert.ok(JSON.stringify(stored).length < 2 * CHARACTERS_STORED);
    assert.equal(stored[0].id, 2_000);
});

test("invalid values are neither posts, comments nor logbooks", () => {
    for (const value of [null, 1, "x", [], {}, { id: 0 }, { id: "1" }, { id: 1.5 }]) {
        assert.equal(postFrom(value), null);
        assert.equal(commentFrom(value), null);
    }
    assert.equal(logbookFrom({ posts: [] }), null);
    const odd = logbookFrom({ at: 1, posts: [{ id: 1, title: 5, device: "<b>" }], comments: [[1]] });
    assert.deepEqual(odd.posts[0], postFrom({ id: 1 }));
    assert.deepEqual([odd.comments, odd.posts[0].device], [[[1, []]], null]);
});

test("a post with an invisible title is shown by its number", () => {
    const { page } = pageAt(LIST);
    listed(page, null, [post(7, { title: "\u202e\u200b" })], 1);
    assert.equal(view(page).rows[0].title, "Post 7");
});

test("a post with an unknown result shows the gateway's reason, or that no answer came", () => {
    const { page } = pageAt(LIST);
    listed(page, null, [], 0);
    page.handle((model) => model.services.logbook.typed(NEW_POST, { title: "Leak", body: "" }));
    page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(1)));
    page.handle((model) => model.services.logbook.sendFailed(NEW_POST, request(1), "The disk is full.", true));
    assert.equal(view(page).form.error, "The disk is full. Send again: it won’t be posted twice.");
    page.handle((model) => model.services.logbook.sendAsked(NEW_POST, request(2)));
    page.handle((model) => model.services.logbook.sendFailed(NEW_POST, request(1), "", true));
    assert.equal(view(page).form.error, "No answer. Send again: it won’t be posted twice.");
});
