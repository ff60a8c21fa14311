public import FleetProtocol
public import Stepping

/// The logbooks of all accounts.
struct Logbooks: Sendable {
    /// What logbooks may take.
    struct Bounds: Sendable {
        var posts = Limits.accountPosts
        var controllerPosts = Limits.controllerPosts
    }

    private var books: [AccountIndex: Logbook] = [:]
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// An account's; empty where nothing was ever written.
    subscript(account: AccountIndex) -> Logbook { books[account] ?? Logbook() }

    /// Whether something was ever written there.
    func has(_ account: AccountIndex) -> Bool { books[account] != nil }

    /// Takes over what an earlier life has kept.
    mutating func take(_ kept: KeptLogbook, of account: AccountIndex) {
        books[account] = Logbook(kept)
    }

    mutating func add(_ post: KeptPost, to account: AccountIndex) {
        change(account) { $0.add(post) }
    }

    mutating func add(_ comment: KeptComment, to account: AccountIndex) {
        change(account) { $0.add(comment) }
    }

    mutating func edit(_ post: Post, of account: AccountIndex) {
        change(account) { $0.edit(post) }
    }

    /// Removes a post with its comments.
    ///
    /// - Precondition: The logbook has the post.
    mutating func remove(_ post: PostNumber, from account: AccountIndex) {
        change(account) { $0.forget(post) }
    }

    /// Makes room for a text, by forgetting what is oldest in the account's logbook.
    ///
    /// - Parameters:
    ///   - text: What the text takes.
    ///   - share: What the account may have.
    ///   - author: Whose post it is; nil: it is a comment.
    ///   - kept: The post that a comment is for, which stays.
    ///   - forget: Is told of each post that is gone.
    /// - Returns: Whether there is room: what was just written stays for a while.
    mutating func makeRoom(
        for text: Int, within share: Int, in account: AccountIndex, ofPostBy author: Author?,
        keeping kept: PostNumber? = nil, at now: WallTime, forgetting forget: (PostNumber) -> Void
    ) -> Bool {
        if author == .controller, self[account].controllerPosts >= bounds.controllerPosts {
            let oldest = self[account].oldest(ofController: true, at: now)
            guard remove(oldest, from: account, forget) else { return false }
        }
        while self[account].bytes + text > share
            || author != nil && self[account].posts.count >= bounds.posts
        {
            guard remove(self[account].oldest(but: kept, at: now), from: account, forget) else {
                return false
            }
        }
        return true
    }

    private mutating func remove(
        _ post: PostNumber?, from account: AccountIndex, _ forget: (PostNumber) -> Void
    ) -> Bool {
        guard let post else { return false }
        change(account) { $0.forget(post) }
        forget(post)
        return true
    }

    private mutating func change(_ account: AccountIndex, _ change: (inout Logbook) -> Void) {
        var book = books.removeValue(forKey: account) ?? Logbook()
        change(&book)
        books[account] = book
    }
}

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

/// A request about the logbook of an account.
enum LogbookRequest: Sendable {
    case posts(PostPull)
    case post(PostNumber)
    case comments(PostNumber, after: CommentNumber)
    case authors(after: AuthorNumber)
    case addPost(PostDraft)
    case addComment(CommentDraft)
    case editPost(PostEdit)
    case removePost(PostNumber)
}
