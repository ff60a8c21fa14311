/// Which posts somebody wants, the newest first.
public struct PostPull: Hashable, Sendable {
    /// Only those before that one; nil: from the newest on.
    public let before: PostNumber?
    /// How many of these are passed over.
    public let skip: UInt32
    /// How many at most; 1 to ``Limits/chunkPosts``.
    public let limit: UInt32
    /// Only those of that author; nil: everybody's.
    public let author: AuthorNumber?

    /// The pull of those values.
    public init(
        before: PostNumber? = nil, skip: UInt32 = 0, limit: UInt32 = UInt32(Limits.chunkPosts),
        author: AuthorNumber? = nil
    ) {
        self.before = before
        self.skip = skip
        self.limit = limit
        self.author = author
    }
}

/// Some of an account's posts, the newest first.
public struct PostChunk: Hashable, Sendable {
    /// The posts.
    public let posts: [Post]
    /// How many there are of those wanted, whatever was passed over.
    public let total: UInt32
    /// Whether there are none before the last of these.
    public let isLast: Bool

    /// The chunk of those values.
    public init(posts: [Post], total: UInt32, isLast: Bool) {
        self.posts = posts
        self.total = total
        self.isLast = isLast
    }
}

/// Some of the comments on a post, the oldest first.
public struct CommentChunk: Hashable, Sendable {
    /// The comments.
    public let comments: [Comment]
    /// Whether none follows the last of these.
    public let isLast: Bool

    /// The chunk of those values.
    public init(comments: [Comment], isLast: Bool) {
        self.comments = comments
        self.isLast = isLast
    }
}

/// Some of those who have written in an account's logbook, by their numbers; not the controller.
public struct AuthorChunk: Hashable, Sendable {
    /// The authors.
    public let authors: [Author]
    /// Whether none follows the last of these.
    public let isLast: Bool

    /// The chunk of those values.
    public init(authors: [Author], isLast: Bool) {
        self.authors = authors
        self.isLast = isLast
    }
}
