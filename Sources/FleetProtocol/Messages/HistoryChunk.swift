/// Some of an account's recently ended requests, in no particular order.
public struct HistoryChunk: Sendable, Equatable {
    /// A request's end with its time.
    public struct PastOutcome: Sendable, Equatable {
        /// The time at which the request ended.
        public let endedAt: WallTime
        /// The report of its outcome.
        public let report: OutcomeReport

        /// That end at that time.
        public init(endedAt: WallTime, report: OutcomeReport) {
            (self.endedAt, self.report) = (endedAt, report)
        }

        /// The upper bound of its size in a chunk: 240 bytes for numbers and framing, and its texts.
        public var bytesAtMost: Int {
            let textBytes = if case .rejected(let why) = report.outcome { why.utf8.count } else { 0 }
            return 240 + report.user.address.utf8.count + textBytes
        }
    }

    /// The cursor of the next request.
    public let nextCursor: UInt32
    /// Whether this is the last chunk.
    public let isLast: Bool
    /// The time up to which requests may be missing, by their creation time; nil if the history is complete.
    public let completeSince: WallTime?
    /// The outcomes; may be empty even if more chunks follow.
    public var outcomes: [PastOutcome]

    /// A chunk with the given values.
    public init(nextCursor: UInt32, isLast: Bool, completeSince: WallTime?, outcomes: [PastOutcome]) {
        (self.nextCursor, self.isLast) = (nextCursor, isLast)
        (self.completeSince, self.outcomes) = (completeSince, outcomes)
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

/// Some of an account's posts, the newest first.
public struct PostChunk: Hashable, Sendable {
    /// The posts.
    public let posts: [Post]
    /// The number of all matching posts, including those that were skipped.
    public let total: UInt32
    /// Whether this is the last chunk.
    public let isLast: Bool

    /// A chunk with the given values.
    public init(posts: [Post], total: UInt32, isLast: Bool) {
        (self.posts, self.total, self.isLast) = (posts, total, isLast)
    }
}

/// Some of the comments on a post, the oldest first.
public struct CommentChunk: Hashable, Sendable {
    /// The comments.
    public let comments: [Comment]
    /// Whether this is the last chunk.
    public let isLast: Bool

    /// A chunk with the given values.
    public init(comments: [Comment], isLast: Bool) { (self.comments, self.isLast) = (comments, isLast) }
}

/// Some of the authors in an account's logbook, by number, without the controller.
public struct AuthorChunk: Hashable, Sendable {
    /// The authors.
    public let authors: [Author]
    /// Whether this is the last chunk.
    public let isLast: Bool

    /// A chunk with the given values.
    public init(authors: [Author], isLast: Bool) { (self.authors, self.isLast) = (authors, isLast) }
}
