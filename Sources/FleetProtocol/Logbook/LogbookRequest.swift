extension LogbookRequest: ServiceRequest {
    /// The reply to a ``LogbookRequest``.
    public typealias Reply = LogbookReply

    /// The service `logbook`.
    public static let service = ServiceName(constant: "logbook")

    /// Texts are written under an ID and may be sent again; a second removal would be refused as not found.
    public var traits: RequestTraits {
        switch self {
        case .posts, .post, .comments, .authors: .read
        case .addPost, .addComment, .editPost: RequestTraits(retry: .onSilence, keyScope: .switch)
        case .removePost: RequestTraits(retry: .never, keyScope: .switch)
        }
    }
}

/// A range of posts to read, newest first.
public struct PostPull: Hashable, Sendable {
    /// The post to read before; nil starts with the newest.
    public let before: PostNumber?
    /// The number of posts to skip.
    public let skip: UInt32
    /// The maximum number of posts, 1 to ``Limits/chunkPosts``.
    public let limit: UInt32
    /// The author to filter by; nil for all authors.
    public let author: AuthorNumber?

    /// A pull with the given values.
    public init(
        before: PostNumber? = nil, skip: UInt32 = 0, limit: UInt32 = UInt32(Limits.chunkPosts),
        author: AuthorNumber? = nil
    ) {
        (self.before, self.skip, self.limit, self.author) = (before, skip, limit, author)
    }
}

/// The highest numbers that a logbook has assigned; a number is never assigned twice, even after a removal.
public struct LogbookMarks: Hashable, Sendable {
    /// The number of the newest post.
    public var lastPost: PostNumber
    /// The number of the newest comment.
    public var lastComment: CommentNumber
    /// The number of the newest author.
    public var lastAuthor: AuthorNumber
    /// The newest time of a removed request ID: an ID up to it may have been used; nil before the first
    /// removal.
    public var horizon: WallTime?

    /// Creates the marks; by default those of a new logbook.
    public init(
        lastPost: PostNumber = .zero, lastComment: CommentNumber = .zero, lastAuthor: AuthorNumber = .zero,
        horizon: WallTime? = nil
    ) {
        (self.lastPost, self.lastComment) = (lastPost, lastComment)
        (self.lastAuthor, self.horizon) = (lastAuthor, horizon)
    }
}
