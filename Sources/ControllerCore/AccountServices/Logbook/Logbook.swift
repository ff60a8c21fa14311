import DequeModule
import FleetProtocol

/// The logbook of one account: posts by number, each with its comments.
struct Logbook: AccountTable {
    enum Written: Equatable, Sendable {
        case post(PostNumber)
        case comment(CommentNumber, on: PostNumber)
    }

    private struct Writer {
        let author: Author
        /// The number of the author's posts and comments in the logbook.
        var texts = 0
    }

    /// The posts, the oldest first.
    private(set) var posts: Deque<StoredPost> = []
    private(set) var marks = LogbookMarks()
    private(set) var bytes = 0
    private(set) var controllerPosts = 0
    private var writers: [Email: Writer] = [:]
    private var written: [RequestID: Written] = [:]

    /// Restores a record; the posts come before their comments, both the oldest first.
    mutating func restore(_ record: LogbookRecord) throws(WireError) {
        switch record {
        case .marks(let marks): self.marks = marks
        case .post(let post, let id):
            posts.append(StoredPost(post, requestID: id))
            track(posts[posts.count - 1])
        case .comment(let comment, let id):
            guard let place = place(of: comment.post) else {
                throw .malformed("stored_comment.comment.post", "a stored post")
            }
            let stored = StoredComment(comment: comment, requestID: id)
            posts[place].add(stored)
            track(stored)
        }
    }

    /// The users with texts in the logbook, by author number; the controller is not included.
    var authors: [Author] { writers.values.map(\.author).sorted { $0.number < $1.number } }

    /// The post with a number; nil if it never existed or was removed.
    subscript(number: PostNumber) -> StoredPost? { place(of: number).map { posts[$0] } }

    /// The text that a request created; nil if the request ID is unknown.
    func written(for id: RequestID) -> Written? { written[id] }

    /// How far an ID's time is behind the newest removed request ID; nil if it is later.
    func lag(of id: RequestID) -> Duration? {
        guard let horizon = marks.horizon, id.time <= horizon else { return nil }
        return id.time.duration(to: horizon)
    }

    /// The place of the first post whose number is not lower than the given one.
    func firstPlace(from number: PostNumber) -> Int {
        posts.sortedIndex(after: { $0.post.number < number })
    }

    /// The author for an email; a new author gets the next number.
    func author(_ email: Email) -> Author {
        writers[email]?.author ?? Author(number: marks.lastAuthor.next, email: email)
    }

    mutating func add(_ stored: StoredPost) {
        precondition(
            stored.post.number == marks.lastPost.next && stored.comments.isEmpty, "posts are in order")
        marks.lastPost = stored.post.number
        marks.lastAuthor = max(marks.lastAuthor, stored.post.author.number)
        posts.append(stored)
        track(stored)
    }

    mutating func add(_ stored: StoredComment) {
        let comment = stored.comment
        guard let place = place(of: comment.post), comment.number == marks.lastComment.next else {
            preconditionFailure("comment \(comment.number) is out of order, or its post does not exist")
        }
        marks.lastComment = comment.number
        marks.lastAuthor = max(marks.lastAuthor, comment.author.number)
        posts[place].add(stored)
        track(stored)
    }

    mutating func edit(_ post: Post) {
        guard let place = place(of: post.number) else {
            preconditionFailure("post \(post.number) does not exist")
        }
        bytes += post.bytesAtMost - posts[place].post.bytesAtMost
        posts[place].post = post
    }

    /// The oldest post that may be removed now, other than `stored`; nil if every post must stay. With
    /// `ofController`, only posts of the controller count.
    func oldest(but stored: PostNumber? = nil, ofController: Bool = false, at now: WallTime) -> PostNumber? {
        let oldest = posts.first {
            $0.post.number != stored && (!ofController || $0.post.author == .controller)
        }
        guard let oldest, oldest.newestID.duration(to: now) >= Limits.shortestPost else { return nil }
        return oldest.post.number
    }

    mutating func discard(_ number: PostNumber) -> StoredPost {
        guard let place = place(of: number) else { preconditionFailure("post \(number) does not exist") }
        let removed = posts.remove(at: place)
        bytes -= removed.bytes
        marks.horizon = max(marks.horizon ?? removed.newestID, removed.newestID)
        if removed.post.author == .controller { controllerPosts -= 1 }
        if let id = removed.requestID { written[id] = nil }
        discard(removed.post.author)
        for stored in removed.comments {
            written[stored.requestID] = nil
            discard(stored.comment.author)
        }
        return removed
    }

    private func place(of number: PostNumber) -> Int? {
        let place = firstPlace(from: number)
        return place < posts.count && posts[place].post.number == number ? place : nil
    }

    private mutating func track(_ stored: StoredPost) {
        let post = stored.post
        bytes += post.bytesAtMost
        if post.author == .controller { controllerPosts += 1 }
        if let id = stored.requestID { written[id] = .post(post.number) }
        record(post.author)
    }

    private mutating func track(_ stored: StoredComment) {
        bytes += stored.comment.bytesAtMost
        written[stored.requestID] = .comment(stored.comment.number, on: stored.comment.post)
        record(stored.comment.author)
    }

    private mutating func record(_ author: Author) {
        guard let email = author.email else { return }
        writers[email, default: Writer(author: author)].texts += 1
    }

    private mutating func discard(_ author: Author) {
        guard let email = author.email, let texts = writers[email]?.texts else { return }
        if texts > 1 { writers[email]?.texts -= 1 } else { writers[email] = nil }
    }
}

/// Chunks that fit in one message.
extension Logbook {
    private static let room = Limits.chunkBytes - SnapshotChunk.frameBytesAtMost

    /// A chunk of the requested posts, the newest first; at least one post if any is left.
    func chunk(_ pull: PostPull) -> PostChunk {
        let end = pull.before.map(firstPlace) ?? posts.count
        var (found, bytesLeft, skip) = ([Post](), Self.room, pull.skip)
        var isLast = true
        for place in posts.indices.prefix(end).reversed() where isWanted(place, by: pull) {
            guard skip == 0 else {
                skip -= 1
                continue
            }
            let post = posts[place].post
            bytesLeft -= post.bytesAtMost
            guard found.count < Int(pull.limit), bytesLeft >= 0 else {
                isLast = false
                break
            }
            found.append(post)
        }
        return PostChunk(posts: found, total: count(of: pull), isLast: isLast)
    }

    func authors(after number: AuthorNumber) -> AuthorChunk {
        let rest = authors.filter { $0.number > number }
        return AuthorChunk(
            authors: Array(rest.prefix(Limits.chunkAuthors)), isLast: rest.count <= Limits.chunkAuthors)
    }

    private func isWanted(_ place: Int, by pull: PostPull) -> Bool {
        pull.author.map { $0 == posts[place].post.author.number } ?? true
    }

    private func count(of pull: PostPull) -> UInt32 {
        guard pull.author != nil else { return UInt32(posts.count) }
        return UInt32(posts.indices.count { isWanted($0, by: pull) })
    }
}

extension StoredPost {
    /// A chunk of the comments, the oldest first; at least one comment if any is left.
    func chunk(after number: CommentNumber) -> CommentChunk {
        var (found, bytesLeft) = ([Comment](), Limits.chunkBytes - SnapshotChunk.frameBytesAtMost)
        for stored in comments where stored.comment.number > number {
            bytesLeft -= stored.comment.bytesAtMost
            guard bytesLeft >= 0 else { return CommentChunk(comments: found, isLast: false) }
            found.append(stored.comment)
        }
        return CommentChunk(comments: found, isLast: true)
    }
}

/// The rate limit of the controller's own posts: a token bucket for each account. Without it, a flapping node
/// or a thousand devices reset together would displace the users' posts and delay the event loop.
struct OwnPosts: Sendable {
    /// The capacity of a bucket, in posts.
    static let burst = 20
    /// The interval in which a bucket regains one post.
    static let interval: Duration = .seconds(60)

    private struct Budget {
        var wholeAt: MonotonicTime
        /// The number of posts dropped since the last written one.
        var omitted = 0
    }

    private var budgets: [AccountIndex: Budget] = [:]

    /// Takes one post from the account's bucket; nil if it is dropped, else the number of those dropped
    /// since.
    mutating func spend(for account: AccountIndex, at now: MonotonicTime) -> Int? {
        var budget = budgets[account] ?? Budget(wholeAt: now)
        defer { budgets[account] = budget }
        let wholeAt = max(budget.wholeAt, now).advanced(by: Self.interval)
        guard now.duration(to: wholeAt) <= Self.interval * Self.burst else {
            budget.omitted += 1
            return nil
        }
        let omitted = budget.omitted
        budget = Budget(wholeAt: wholeAt)
        return omitted
    }

    mutating func discard(_ account: AccountIndex) { budgets[account] = nil }
}
