public import FleetProtocol

/// The account's logbook. The client repeats a text under its ID after a second without a reply and after a
/// new connection, and the controller writes it once. After `noReply`, the same draft may be sent again at
/// any time.
extension ServiceClient {
    /// Returns posts, the newest first, as many as fit in one message.
    public func postChunk(_ pull: PostPull) async throws(FleetError) -> PostChunk {
        let reply = try await request(LogbookRequest.posts(pull))
        guard case .posts(let chunk) = reply else { throw .unexpectedReply }
        return chunk
    }

    /// Returns the newest posts, chunk by chunk.
    ///
    /// At most `count` posts are returned: those before a post, after `skip` others, and of an author, if
    /// these are named.
    ///
    /// - Returns: The posts, and the number of all matching posts.
    public func posts(
        _ count: Int, before: PostNumber? = nil, skip: Int = 0, author: AuthorNumber? = nil
    ) async throws(FleetError) -> (posts: [Post], total: Int) {
        var (found, total, isLast) = ([Post](), 0, false)
        while found.count < count, !isLast {
            let limit = min(count - found.count, Limits.chunkPosts)
            let pull = PostPull(
                before: found.last?.number ?? before, skip: found.isEmpty ? UInt32(clamping: skip) : 0,
                limit: UInt32(limit), author: author)
            let chunk = try await postChunk(pull)
            guard chunk.isLast || !chunk.posts.isEmpty, chunk.posts.count <= limit else {
                throw .unexpectedReply
            }
            found += chunk.posts
            (total, isLast) = (Int(chunk.total), chunk.isLast)
        }
        return (found, total)
    }

    /// Returns a post.
    ///
    /// - Throws: Also `refused` with `notFound` for a missing post.
    public func post(_ number: PostNumber) async throws(FleetError) -> Post {
        let reply = try await request(LogbookRequest.post(number))
        guard case .post(let post) = reply, post.number == number else { throw .unexpectedReply }
        return post
    }

    /// Returns all comments on a post, the oldest first, chunk by chunk.
    ///
    /// - Throws: Also `refused` with `notFound` for a missing post.
    public func comments(on post: PostNumber) async throws(FleetError) -> [Comment] {
        try await collect(atMost: Limits.postComments) { (found: [Comment]) throws(FleetError) in
            let next = LogbookRequest.comments(on: post, after: found.last?.number ?? .zero)
            guard case .comments(let chunk) = try await request(next) else { return nil }
            return (chunk.comments, chunk.isLast)
        }
    }

    /// Writes a post.
    ///
    /// The draft has an ID that is created before the first attempt.
    ///
    /// - Returns: The post as stored.
    /// - Throws: Also `refused` with `notAllowed` for viewers, `notFound` for an unknown device, and
    ///   `idMismatch` if something else was written under that ID.
    @discardableResult
    public func write(_ draft: PostDraft) async throws(FleetError) -> Post {
        let reply = try await request(LogbookRequest.addPost(draft))
        guard case .post(let post) = reply, draft.isWritten(as: post) else { throw .unexpectedReply }
        return post
    }

    /// Writes a comment.
    ///
    /// The draft has an ID that is created before the first attempt.
    ///
    /// - Returns: The comment as stored.
    /// - Throws: As for a post; `notFound` also for a missing post.
    @discardableResult
    public func write(_ draft: CommentDraft) async throws(FleetError) -> Comment {
        let reply = try await request(LogbookRequest.addComment(draft))
        guard case .comment(let comment) = reply, draft.isWritten(as: comment) else {
            throw .unexpectedReply
        }
        return comment
    }

    /// Changes the text of a post that the user wrote.
    ///
    /// - Returns: The post with the new text.
    /// - Throws: Also `refused` with `notAllowed` for another user's post, and `notFound` for a missing one.
    @discardableResult
    public func edit(_ edit: PostEdit) async throws(FleetError) -> Post {
        let reply = try await request(LogbookRequest.editPost(edit))
        guard case .post(let post) = reply, post.number == edit.number else { throw .unexpectedReply }
        return post
    }

    /// Removes a post with its comments: one that the user wrote, or any post for an owner.
    ///
    /// The request is sent once, without retries.
    ///
    /// - Throws: Also `refused` with `notAllowed` for another user's post, and `notFound` for a missing one.
    public func removePost(_ number: PostNumber) async throws(FleetError) {
        let reply = try await request(LogbookRequest.removePost(number))
        guard case .postRemoved(number) = reply else { throw .unexpectedReply }
    }

    /// Returns the authors of all posts and comments, by number; the controller is not among them.
    public func authors() async throws(FleetError) -> [Author] {
        try await collect(atMost: Limits.accountPosts) { (found: [Author]) throws(FleetError) in
            let next = LogbookRequest.authors(after: found.last?.number ?? .zero)
            guard case .authors(let chunk) = try await request(next) else { return nil }
            return (chunk.authors, chunk.isLast)
        }
    }
}
