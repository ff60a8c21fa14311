import assert from "node:assert/strict";
import { test } from "node:test";

import { NEW_POST } from "../../Sources/gateway/Page/logbook/drafts.js";
import { CHARACTERS_STORED, POSTS_STORED } from "../../Sources/gateway/Page/logbook/logbook.js";
import { logbookView, postView } from "../../Sources/gateway/Page/logbook/logbookview.js";
import { commentFrom, draftFrom, logbookFrom, postFrom } from "../../Sources/gateway/Page/logbook/logbookwire.js";
import { kinds, Page, request, SESSION } from "./samples.mjs";

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

const LIST = { screen: "logbook" };
const POST = { screen: "post", number: 7 };

/** A page with the list of these posts. */
function pageWith(...shown) {
    const { page } = Page.at(LIST);
    listed(page, null, shown, shown.length);
    return page;
}

/** A page that shows post 7 and not yet its comments. */
function pageAtPost() {
    const page = pageWith(post(7));
    assert.deepEqual(page.event.routed(POST), []);
    return page;
}

/** A page that starts with a stored logbook of one post with two comments. */
function pageWithStored(stored, { email = SESSION.email, ...initial } = {}) {
    const page = new Page();
    const logbook = { email, posts: [post(7, { commentCount: 2 })], total: 9, at: 500, comments: [], ...stored };
    page.start({ services: { logbook }, ...initial });
    return page;
}

function listed(page, before, shown, total) {
    return page.logbook.listed({ before, posts: shown, total });
}

/** Types a post. */
function type(page, title = "Leak") { page.logbook.typed(NEW_POST, { title, body: "" }); }

/** Sends a post. @returns {object} What the page requests. */
function send(page, number = 1) { return page.logbook.sendAsked(NEW_POST, request(number)).at(-1); }

/** The answer to a post is lost, or with a message an error. */
function lose(page, message = "") { page.logbook.sendFailed(NEW_POST, request(1), message, true); }

/** Sends a comment on post 7, which becomes comment 2. @returns {object} What the page requests. */
function writeComment(page) {
    page.logbook.typed(7, { body: "me too" });
    const sent = page.logbook.sendAsked(7, request(1)).at(-1);
    page.logbook.commentWritten(request(1), comment(2, 7, "me too"));
    return sent;
}

/** Comments of post 7 come. */
function come(page, ...comments) { return page.logbook.fetched({ post: post(7), comments }); }

function view(page) { return logbookView(page.model, page.now); }

function detail(page) { return postView(page.model, page.now); }

function numbers(page) { return view(page).rows.map((one) => one.number); }

test("the newest posts are requested once when the logbook opens", () => {
    const { page, asked } = Page.at(LIST);
    assert.deepEqual(asked, [{ do: "posts", before: null }]);
    assert.deepEqual(page.logbook.list(), []);
    assert.equal(view(page).nothing, "Loading…");
    listed(page, null, posts(3, 1), 3);
    assert.deepEqual(numbers(page), [3, 2, 1]);
    assert.equal(view(page).summary, "3 posts");
    listed(page, null, [post(4, { title: "\u202e\u200b" })], 4);
    assert.equal(view(page).rows[0].title, "Post 4", "an invisible title is replaced");
});

test("older posts are appended page by page", () => {
    const { page } = Page.at(LIST);
    listed(page, null, posts(10, 6), 10);
    assert.ok(view(page).hasOlder);
    assert.deepEqual(page.logbook.olderAsked(), [{ do: "posts", before: 6 }]);
    listed(page, 6, posts(5, 1), 10);
    assert.deepEqual(numbers(page), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert.ok(!view(page).hasOlder);
});

test("newer posts are joined to the list only if none is missing in between", () => {
    const page = pageWith(...posts(3, 1));
    listed(page, null, posts(5, 3), 5);
    assert.deepEqual(numbers(page), [5, 4, 3, 2, 1]);
    listed(page, null, posts(60, 50), 60);
    assert.deepEqual(numbers(page).at(-1), 50);
    assert.ok(view(page).hasOlder);
});

test("a list that fails shows the error, and its posts stay", () => {
    const page = pageWith(post(1));
    page.logbook.list();
    page.logbook.listFailed("no controller");
    assert.equal(view(page).error, "no controller");
    assert.deepEqual(numbers(page), [1]);
    assert.ok(!view(page).isRefreshing);
});

test("a first start without a connection shows one sentence", () => {
    const page = Page.stored([], { route: LIST });
    page.event.sessionLost(false);
    const seen = view(page);
    assert.match(seen.nothing, /You’re offline, and the logbook hasn’t been loaded/);
    assert.deepEqual([seen.rows, seen.summary, seen.error, seen.form, seen.connection.detail], [[], "", "", null, ""]);
});

test("without a connection stored posts are shown with title, author, body and number of comments", () => {
    const page = pageWithStored({}, { route: POST });
    page.event.sessionLost(false);
    const { title, author, body, count } = detail(page);
    assert.deepEqual([title, author, body, count], ["Post 7", "ann@example.com", "words", "2 comments"]);
    page.logbook.commentsAsked(true);
    assert.match(detail(page).commentsText, /Comments aren’t available offline/);
    assert.deepEqual(page.event.routed(LIST), []);
    assert.deepEqual(numbers(page), [7]);
});

test("without a connection opened comments are shown", () => {
    const page = pageWithStored({ comments: [[7, [comment(1, 7, "first"), comment(2, 7, "second")]]] }, { route: POST });
    page.logbook.commentsAsked(true);
    const seen = detail(page);
    assert.deepEqual(seen.comments.map((one) => one.body), ["first", "second"]);
    assert.equal(seen.commentsText, "");
});

test("another user's stored logbook is ignored", () => {
    const own = { email: SESSION.email, at: 1, devices: [] };
    const page = pageWithStored({}, { email: "eve@example.com", stored: own, route: LIST });
    assert.deepEqual(numbers(page), []);
});

test("comments are fetched when they are opened", () => {
    const page = pageAtPost();
    assert.ok(!detail(page).isOpen);
    assert.deepEqual(page.logbook.commentsAsked(true), [{ do: "post", number: 7 }]);
    come(page, comment(1, 7));
    assert.deepEqual([detail(page).count, detail(page).comments.length], ["1 comment", 1]);
});

test("a post opened by its address is fetched, and a missing one is reported", () => {
    const { page, asked } = Page.at(POST);
    assert.deepEqual(asked, [{ do: "post", number: 7 }]);
    assert.equal(detail(page).text, "Loading…");
    page.logbook.fetchFailed(7, "not there", true);
    assert.match(detail(page).text, /This post doesn’t exist any more/);
});

test("a post is sent with one ID until it is written", () => {
    const page = pageWith();
    page.logbook.typed(NEW_POST, { title: "Leak", body: "in the hall" });
    assert.ok(view(page).form.canSend);
    const texts = { title: "Leak", body: "in the hall", device: null, site: "" };
    const sent = { do: "writePost", requestId: request(1), ...texts };
    const [stored, ...others] = page.logbook.sendAsked(NEW_POST, request(1));
    assert.deepEqual(stored.draft.sent, { ...texts, requestId: request(1) });
    assert.deepEqual([stored.do, stored.number], ["storeDraft", NEW_POST]);
    assert.deepEqual(others, [sent]);
    assert.deepEqual(page.logbook.sendAsked(NEW_POST, request(2)), []);
    lose(page);
    assert.deepEqual([view(page).form.button, view(page).form.title], ["Send again", "Leak"]);
    assert.deepEqual(send(page, 3), sent);
    page.logbook.postWritten(request(1), post(1, { title: "Leak" }));
    assert.equal(view(page).form.title, "");
    assert.deepEqual(numbers(page), [1]);
    assert.equal(view(page).summary, "1 post");
});

test("a post can be about a device, and is then a different text", () => {
    const { page } = Page.at({ ...LIST, device: "1" });
    assert.equal(view(page).form.about, "Bedroom 1");
    type(page);
    const sent = send(page);
    assert.equal(sent.device, "1");
    page.logbook.about({});
    assert.equal(view(page).form.about, "Bedroom 1", "it is in flight");
    lose(page);
    page.event.routed(LIST);
    assert.deepEqual([view(page).form.about, view(page).form.button], ["Bedroom 1", "Send again"]);
    page.logbook.about({});
    assert.deepEqual([view(page).form.about, view(page).form.title], [null, "Leak"]);
    const other = send(page, 2);
    assert.deepEqual([other.device, other.requestId], [null, request(2)]);
    page.logbook.postWritten(request(2), post(1, { title: "Leak" }));
    page.event.routed({ ...LIST, device: "gone" });
    assert.equal(view(page).form.about, "gone");
    assert.equal(page.model.services.logbook.draft(NEW_POST).device, "gone");
});

test("a connection that returns does not change a draft", () => {
    const { page } = Page.at({ ...LIST, device: "1" });
    type(page);
    page.logbook.about({});
    page.enter();
    assert.equal(view(page).form.about, null);
    send(page);
    lose(page);
    page.enter();
    assert.deepEqual([view(page).form.about, view(page).form.button], [null, "Send again"]);
    const again = new Page();
    const draft = draftFrom(page.model.services.logbook.draft(NEW_POST));
    const drafts = [{ email: SESSION.email, number: NEW_POST, draft }];
    again.start({ drafts, route: { ...LIST, device: "1" } });
    again.enter();
    const sent = send(again, 2);
    assert.deepEqual([sent.requestId, sent.device], [request(1), null]);
    lose(again);
    again.event.routed({ ...LIST, site: "Home" });
    assert.equal(view(again).form.about, "Home", "opening it changes the subject");
    again.event.routed(LIST);
    again.logbook.about({});
    again.event.routed({ ...LIST, site: "Home" });
    assert.equal(view(again).form.about, "Home", "and opening it again does too");
});

test("a post can be about a site, from the site's screen", () => {
    const { page } = Page.at({ ...LIST, site: "Home\u202e" });
    assert.equal(view(page).form.about, "Home\u202e");
    type(page, "Painters");
    const stored = draftFrom(page.model.services.logbook.draft(NEW_POST));
    assert.deepEqual([stored.device, stored.site, stored.title], [null, "Home\u202e", "Painters"]);
    const sent = send(page);
    assert.deepEqual([sent.device, sent.site], [null, "Home\u202e"]);
    page.logbook.sendFailed(NEW_POST, request(1), "no", false);
    page.event.routed({ ...LIST, device: "1" });
    assert.equal(view(page).form.about, "Bedroom 1", "it is about one of them");
    const other = send(page, 2);
    assert.deepEqual([other.device, other.site], ["1", ""]);
});

test("a post that may not be written keeps its text, shows why, and has another ID once it is changed", () => {
    const page = pageWith();
    type(page);
    send(page);
    lose(page, "The disk is full.");
    assert.equal(view(page).form.error, "The disk is full. Send again: it won’t be posted twice.");
    send(page, 2);
    lose(page);
    assert.equal(view(page).form.error, "No answer. Send again: it won’t be posted twice.");
    type(page, "Leak!");
    assert.equal(send(page, 3).requestId, request(3));
    page.logbook.sendFailed(NEW_POST, request(3), "title: too long", false);
    const { title, error, button } = view(page).form;
    assert.deepEqual([title, error, button], ["Leak!", "title: too long", "Post"]);
});

test("a comment is shown on its post as soon as it is written", () => {
    const page = pageAtPost();
    const sent = writeComment(page);
    assert.deepEqual(sent, { do: "writeComment", number: 7, requestId: request(1), body: "me too" });
    come(page, comment(2, 7, "me too"));
    assert.deepEqual([detail(page).count, detail(page).isOpen, detail(page).form.body], ["1 comment", true, ""]);
});

test("a new comment stays when an earlier request for comments is answered later", () => {
    const page = pageAtPost();
    const read = { do: "post", number: 7 };
    assert.deepEqual(page.logbook.commentsAsked(true), [read]);
    writeComment(page);
    assert.deepEqual(come(page, comment(1, 7)), [read]);
    assert.deepEqual(kinds(come(page, comment(1, 7), comment(2, 7, "me too"))), ["storeService"]);
    assert.equal(detail(page).count, "2 comments");
});

test("an older answer without a connection is shown, and requested again with one", () => {
    const page = pageAtPost();
    page.logbook.commentsAsked(true);
    writeComment(page);
    page.event.streamBroke({ isOver: false });
    come(page, comment(1, 7));
    assert.equal(detail(page).count, "1 comment");
    const asked = page.event.streamOpened({ isFresh: true });
    assert.ok(asked.some((one) => one.do === "post" && one.number === 7));
    come(page, comment(1, 7), comment(2, 7));
    assert.equal(detail(page).count, "2 comments");
});

test("a comment stays on its post when another screen is opened", () => {
    const page = pageWith(post(8), post(7));
    page.event.routed(POST);
    come(page);
    page.logbook.typed(7, { body: "me too" });
    page.logbook.sendAsked(7, request(1));
    page.event.routed({ screen: "post", number: 8 });
    page.logbook.commentWritten(request(1), comment(2, 7, "me too"));
    assert.ok(!detail(page).isOpen);
    come(page);
    page.event.routed(POST);
    assert.equal(detail(page).count, "1 comment");
});

test("viewers read and do not write, and without a connection writing is not possible", () => {
    const viewer = Page.at(LIST, { ...SESSION, role: "viewer" }).page;
    listed(viewer, null, [post(7)], 1);
    assert.equal(view(viewer).form, null);
    const { page } = Page.at(LIST);
    type(page);
    page.event.onlineChanged(false);
    assert.ok(!view(page).form?.canSend);
    assert.deepEqual(page.logbook.sendAsked(NEW_POST, request(1)), []);
});

test("the stored logbook is limited to its room", () => {
    const { page } = Page.at(LIST);
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
