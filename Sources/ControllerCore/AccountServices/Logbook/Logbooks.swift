public import FleetProtocol

struct Logbooks: AccountTables {
    struct Bounds: Sendable {
        var posts = Limits.accountPosts
        var controllerPosts = Limits.controllerPosts
    }

    var tables: [AccountIndex: Logbook] = [:]
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) { self.bounds = bounds }

    mutating func add(_ post: StoredPost, to account: AccountIndex) {
        change(account) { $0.add(post) }
    }

    mutating func add(_ comment: StoredComment, to account: AccountIndex) {
        change(account) { $0.add(comment) }
    }

    mutating func edit(_ post: Post, of account: AccountIndex) {
        change(account) { $0.edit(post) }
    }

    /// Removes a post with its comments.
    ///
    /// - Precondition: The logbook has the post.
    mutating func remove(_ post: PostNumber, from account: AccountIndex) {
        change(account) { $0.discard(post) }
    }

    /// Makes room for a text by removing the oldest posts of the account's logbook.
    ///
    /// - Parameters:
    ///   - text: The size of the text, in bytes.
    ///   - share: The account's share, in bytes.
    ///   - author: The author of a new post; nil for a comment or an edit.
    ///   - retained: The post that must stay, because the text belongs to it.
    ///   - discard: Called with each removed post.
    /// - Returns: Whether there is room; recent posts are never removed.
    mutating func makeRoom(
        for text: Int, within share: Int, in account: AccountIndex, ofPostBy author: Author?,
        retaining retained: PostNumber? = nil, at now: WallTime, discarding discard: (PostNumber) -> Void
    ) -> Bool {
        if author == .controller, self[account].controllerPosts >= bounds.controllerPosts {
            let oldest = self[account].oldest(ofController: true, at: now)
            guard remove(oldest, from: account, discard) else { return false }
        }
        while self[account].bytes + text > share
            || author != nil && self[account].posts.count >= bounds.posts
        {
            guard remove(self[account].oldest(but: retained, at: now), from: account, discard) else {
                return false
            }
        }
        return true
    }

    private mutating func remove(
        _ post: PostNumber?, from account: AccountIndex, _ discard: (PostNumber) -> Void
    ) -> Bool {
        guard let post else { return false }
        change(account) { $0.discard(post) }
        discard(post)
        return true
    }
}

/// A post, with its comments and the request ID that identifies repeats.
public struct StoredPost: Hashable, Sendable {
    /// The post; its comment count equals the number of `comments`.
    public internal(set) var post: Post
    /// The ID of the request that wrote it; nil for posts of the controller.
    public let requestID: RequestID?
    /// The comments on it, the oldest first.
    public internal(set) var comments: [StoredComment]

    /// Creates a post from its request ID and its comments, the oldest first.
    public init(_ post: Post, requestID: RequestID?, comments: [StoredComment] = []) {
        self.post = post
        self.post.comments = UInt32(comments.count)
        (self.requestID, self.comments) = (requestID, comments)
    }

    /// The newest time among the request IDs of the post and its comments.
    var newestID: WallTime {
        comments.reduce(requestID?.time ?? post.writtenAt) { max($0, $1.requestID.time) }
    }

    /// The comment with a number; nil if the post does not have it.
    subscript(number: CommentNumber) -> Comment? {
        comments.first { $0.comment.number == number }?.comment
    }

    /// The size that counts towards the logbook's share: the texts of the post and its comments, with frames.
    var bytes: Int { comments.reduce(post.bytesAtMost) { $0 + $1.comment.bytesAtMost } }
}

/// A comment, with the request ID that identifies repeats.
public struct StoredComment: Hashable, Sendable {
    /// The comment.
    public let comment: Comment
    /// The ID of the request that wrote it.
    public let requestID: RequestID

    /// Creates a comment with its request ID.
    public init(_ comment: Comment, requestID: RequestID) {
        (self.comment, self.requestID) = (comment, requestID)
    }
}

/// The highest numbers that a logbook has assigned; a number is never assigned twice, even after a removal.
public struct LogbookMarks: Hashable, Sendable {
    /// The number of the newest post.
    public var lastPost = PostNumber.zero
    /// The number of the newest comment.
    public var lastComment = CommentNumber.zero
    /// The number of the newest author.
    public var lastAuthor = AuthorNumber.zero
    /// The newest time of a removed request ID: an ID up to it may have been used; nil before the first
    /// removal.
    public var horizon: WallTime?

    /// Creates the marks of a new logbook.
    public init() {}
}

/// The stored logbook of an account.
public struct StoredLogbook: Hashable, Sendable {
    /// The account.
    public let account: AccountID
    /// The highest assigned numbers.
    public let marks: LogbookMarks
    /// The posts, the oldest first.
    public let posts: [StoredPost]

    /// Creates a logbook from its fields.
    public init(account: AccountID, marks: LogbookMarks, posts: [StoredPost]) {
        (self.account, self.marks, self.posts) = (account, marks, posts)
    }
}
