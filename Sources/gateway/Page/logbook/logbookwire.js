// Decodes and validates the gateway's JSON of the logbook. Pure.

import {
    BODY_AT_MOST, isID, isNumber, isObject, listOf, number, requestIDFrom, text,
} from "../common/wire.js";

/** The maximum numbers of posts, and of comments on a post. */
const POSTS_AT_MOST = 10_000;
const COMMENTS_AT_MOST = 500;

/**
 * @typedef {object} Post
 * @property {number} id Its number within the account.
 * @property {string} title Untrusted text.
 * @property {string} body Untrusted text, with line breaks.
 * @property {string} author An address, or `controller`.
 * @property {number} writtenAtMs In milliseconds since 1970.
 * @property {string | null} device The device that it is about; null for none.
 * @property {string} deviceName The device's name at that time.
 * @property {string} site The site that it is about; empty for none.
 * @property {number} commentCount
 */

/**
 * A post of the logbook.
 *
 * @returns {Post | null} Null without a valid number.
 */
export function postFrom(value) {
    if (!isObject(value) || !isNumber(value.id)) return null;
    return {
        id: value.id,
        title: text(value.title),
        body: text(value.body, BODY_AT_MOST),
        author: text(value.author),
        writtenAtMs: number(value.writtenAtMs),
        device: isID(value.device) ? value.device : null,
        deviceName: text(value.deviceName),
        site: text(value.site),
        commentCount: Math.max(0, number(value.commentCount)),
    };
}

/** The posts of a list, without invalid ones. */
function postsFrom(value) { return listOf(value, POSTS_AT_MOST, postFrom); }

/** The newest posts, and the number of all. */
export function postListFrom(value) {
    return { posts: postsFrom(value?.posts), total: Number(value?.total) || 0 };
}

/** A post with its comments; null for invalid data. */
export function openedPostFrom(value) {
    const post = postFrom(value?.post);
    return post === null ? null : { post, comments: commentsFrom(value.comments) };
}

/** A comment on a post; null without valid numbers. */
export function commentFrom(value) {
    if (!isObject(value) || !isNumber(value.id) || !isNumber(value.postId)) return null;
    return {
        id: value.id,
        postId: value.postId,
        name: text(value.name),
        body: text(value.body, BODY_AT_MOST),
        writtenAtMs: number(value.writtenAtMs),
    };
}

/** The comments of a list, without invalid ones. */
function commentsFrom(value) { return listOf(value, COMMENTS_AT_MOST, commentFrom); }

/** A stored logbook; null for invalid data. */
export function logbookFrom(value) {
    if (!isObject(value) || !Number.isFinite(value.at)) return null;
    const commentsOf = (entry) =>
        Array.isArray(entry) && isNumber(entry[0], 0) ? [entry[0], commentsFrom(entry[1])] : null;
    return {
        at: value.at,
        total: Math.max(0, number(value.total)),
        posts: postsFrom(value.posts),
        comments: listOf(value.comments, POSTS_AT_MOST, commentsOf),
    };
}

/** A stored draft; the value must be an object. */
export function draftFrom(value) {
    const requestId = requestIDFrom(value.sent?.requestId);
    return {
        ...draftTexts(value),
        sent: requestId === null ? null : { ...draftTexts(value.sent), requestId },
        order: Math.max(0, number(value.order)),
    };
}

function draftTexts(value) {
    return {
        title: text(value.title), body: text(value.body, BODY_AT_MOST),
        device: isID(value.device) ? value.device : null, site: text(value.site),
    };
}
