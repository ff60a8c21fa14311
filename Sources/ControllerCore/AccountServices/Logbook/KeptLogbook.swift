public import FleetProtocol
public import Stepping

/// A post with what is needed to recognise a repeat of it.
public struct KeptPost: Hashable, Sendable {
    /// The post; its count is that of the comments here.
    public internal(set) var post: Post
    /// The intention behind it; nil where the controller wrote it.
    public let requestID: RequestID?
    /// The comments on it, the oldest first.
    public internal(set) var comments: [KeptComment]

    /// A post of that intention, with its comments, the oldest first.
    public init(_ post: Post, requestID: RequestID?, comments: [KeptComment] = []) {
        self.post = post
        self.post.comments = UInt32(comments.count)
        self.requestID = requestID
        self.comments = comments
    }

    /// The newest intention behind it and its comments, by the time in its id.
    var newestID: WallTime {
        comments.reduce(requestID?.time ?? post.writtenAt) { max($0, $1.requestID.time) }
    }

    /// The comment of that number; nil where it is not on this post.
    subscript(number: CommentNumber) -> Comment? {
        comments.first { $0.comment.number == number }?.comment
    }

    /// What it takes of a logbook's bytes: its texts and those of its comments, and their frames.
    var bytes: Int { comments.reduce(post.bytesAtMost) { $0 + $1.comment.bytesAtMost } }
}

/// A comment with what is needed to recognise a repeat of it.
public struct KeptComment: Hashable, Sendable {
    /// The comment.
    public let comment: Comment
    /// The intention behind it.
    public let requestID: RequestID

    /// A comment of that intention.
    public init(_ comment: Comment, requestID: RequestID) {
        self.comment = comment
        self.requestID = requestID
    }
}

/// What a logbook has given out so far: none of it is given twice, whatever is forgotten.
public struct LogbookMarks: Hashable, Sendable {
    /// The newest post ever.
    public var lastPost = PostNumber.zero
    /// The newest comment ever.
    public var lastComment = CommentNumber.zero
    /// The newest author ever.
    public var lastAuthor = AuthorNumber.zero
    /// The newest time of an id that was forgotten with its post: an id at or before it may have been seen;
    /// nil: none was.
    public var horizon: WallTime?

    /// Nothing was given out.
    public init() {}
}

/// An account's logbook as it was kept.
public struct KeptLogbook: Hashable, Sendable {
    /// Whose it is.
    public let account: AccountID
    /// What it has given out so far.
    public let marks: LogbookMarks
    /// Its posts, the oldest first.
    public let posts: [KeptPost]

    /// The logbook of those parts.
    public init(account: AccountID, marks: LogbookMarks, posts: [KeptPost]) {
        self.account = account
        self.marks = marks
        self.posts = posts
    }
}
