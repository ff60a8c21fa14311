public import FleetProtocol

struct Logbooks: AccountTables {
    struct Bounds: Sendable {
        var posts = Limits.accountPosts
        var controllerPosts = Limits.controllerPosts
    }

    var tables: [AccountIndex: Logbook] = [:]
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) { self.bounds = bounds }

    /// Makes room for a text by removing the oldest posts of the account's logbook, each passed to `discard`.
    /// Sizes are in bytes. Without an author, the text is a comment or an edit, whose post is `retained`.
    /// Returns whether there is room; recent posts are never removed.
    mutating func makeRoom(
        for text: Int, within share: Int, in account: AccountIndex, ofPostBy author: Author?,
        retaining retained: PostNumber? = nil, at now: WallTime, discarding discard: (StoredPost) -> Void
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
        _ post: PostNumber?, from account: AccountIndex, _ discard: (StoredPost) -> Void
    ) -> Bool {
        guard let post else { return false }
        discard(self[account].discard(post))
        return true
    }
}

/// A post, with its comments and the request ID that identifies repeats.
struct StoredPost: Hashable, Sendable {
    /// The post; its comment count equals the number of `comments`.
    var post: Post
    /// The ID of the request that wrote it; nil for posts of the controller.
    let requestID: RequestID?
    /// The comments on it, the oldest first.
    private(set) var comments: [StoredComment] = []

    init(_ post: Post, requestID: RequestID?) {
        (self.post, self.requestID) = (post, requestID)
        self.post.comments = 0
    }

    mutating func add(_ comment: StoredComment) {
        comments.append(comment)
        post.comments += 1
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
struct StoredComment: Hashable, Sendable {
    let comment: Comment
    let requestID: RequestID
}

extension LogbookRecord: RecordContent {
    public typealias Request = LogbookRequest

    public var key: RecordKey {
        switch self {
        case .marks: .only(0)
        case .post(let post, _): Self.key(of: post.number)
        case .comment(let comment, _): Self.key(of: comment.number)
        }
    }

    static func key(of post: PostNumber) -> RecordKey { .number(1, post.value) }
    static func key(of comment: CommentNumber) -> RecordKey { .number(2, comment.value) }
}
