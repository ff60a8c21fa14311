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
