/// A request about the logbook of the user's account.
public enum LogbookRequest: Sendable, Equatable, ServiceRequest {
    /// Lists posts.
    case posts(PostPull)
    /// Reads a post.
    case post(PostNumber)
    /// Lists the comments on a post after a comment; 0 starts with the first.
    case comments(on: PostNumber, after: CommentNumber)
    /// Lists authors after an author; 0 starts with the first.
    case authors(after: AuthorNumber)
    /// Writes a post.
    case addPost(PostDraft)
    /// Writes a comment.
    case addComment(CommentDraft)
    /// Edits a post that the user wrote.
    case editPost(PostEdit)
    /// Removes a post with its comments: the user's own, or any post for an owner.
    case removePost(PostNumber)

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

/// The controller's reply to a ``LogbookRequest``.
public enum LogbookReply: Sendable, Equatable {
    /// Some of the posts.
    case posts(PostChunk)
    /// A post as stored.
    case post(Post)
    /// Some of the comments on a post.
    case comments(CommentChunk)
    /// A comment as stored.
    case comment(Comment)
    /// Some of the authors.
    case authors(AuthorChunk)
    /// The post was removed with its comments.
    case postRemoved(PostNumber)
}

/// A stored record of an account's logbook.
public enum LogbookRecord: Hashable, Sendable {
    /// A post, whose comments are records of their own, and the ID of the request that wrote it; nil for
    /// posts of the controller.
    case post(Post, requestID: RequestID?)
    /// A comment, and the ID of the request that wrote it.
    case comment(Comment, requestID: RequestID)
    /// The highest numbers that were assigned.
    case marks(LogbookMarks)
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
