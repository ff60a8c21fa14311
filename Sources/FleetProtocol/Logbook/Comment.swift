public import Stepping

/// What somebody added to a post.
public struct Comment: Hashable, Sendable {
    /// Its place among all comments of the logbook.
    public let number: CommentNumber
    /// What it is on.
    public let post: PostNumber
    /// Who wrote it.
    public let author: Author
    /// When the controller took it.
    public let writtenAt: WallTime
    /// Lines; text of strangers.
    public let body: String

    /// The comment of those parts.
    public init(
        number: CommentNumber, post: PostNumber, author: Author, writtenAt: WallTime, body: String
    ) {
        self.number = number
        self.post = post
        self.author = author
        self.writtenAt = writtenAt
        self.body = body
    }

    /// What it takes of a chunk's bytes at most: 100 for its numbers and frames, and its texts.
    public var bytesAtMost: Int { 100 + (author.email?.address.utf8.count ?? 0) + body.utf8.count }
}

/// A comment that somebody asks to be written.
public struct CommentDraft: Hashable, Sendable {
    /// The intention, made before the first try: one comment is written for it, however often it arrives.
    public let requestID: RequestID
    /// What it is on.
    public let post: PostNumber
    /// 1 to ``Limits/commentBytes`` bytes, of which something can be seen.
    public let body: String

    /// The draft of those parts.
    ///
    /// - Throws: ``LogbookTextError``.
    public init(requestID: RequestID, post: PostNumber, body: String) throws(LogbookTextError) {
        self.requestID = requestID
        self.post = post
        self.body = try LogbookText.lines(body, of: "body", bytes: Limits.commentBytes)
        guard LogbookText.hasVisible(body) else { throw .blank(field: "body") }
    }

    /// Whether a comment says what this asks for.
    public func isWritten(as comment: Comment) -> Bool {
        post == comment.post && body == comment.body
    }
}
