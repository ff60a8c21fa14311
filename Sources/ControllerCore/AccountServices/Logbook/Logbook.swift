import DequeModule
import FleetProtocol
import Stepping

/// What one account has written down: posts by their numbers, each with its comments.
struct Logbook: Sendable {
    /// What an intention has become.
    enum Written: Equatable, Sendable {
        case post(PostNumber)
        case comment(CommentNumber, on: PostNumber)
    }

    private struct Writer {
        let author: Author
        /// Posts and comments of theirs that are there.
        var texts = 0
    }

    /// The oldest first.
    private(set) var posts: Deque<KeptPost> = []
    private(set) var marks = LogbookMarks()
    /// What its texts take.
    private(set) var bytes = 0
    /// Posts that the controller itself has written.
    private(set) var controllerPosts = 0
    private var writers: [Email: Writer] = [:]
    private var written: [RequestID: Written] = [:]

    /// An empty one.
    init() {}

    /// One that an earlier life of the controller has kept.
    init(_ kept: KeptLogbook) {
        marks = kept.marks
        posts = Deque(kept.posts)
        for post in kept.posts { take(in: post) }
    }

    /// Who has written something that is there, by their numbers; not the controller.
    var authors: [Author] { writers.values.map(\.author).sorted { $0.number < $1.number } }

    /// The post of that number; nil where it never was, or is gone.
    subscript(number: PostNumber) -> KeptPost? { place(of: number).map { posts[$0] } }

    /// What an intention has become; nil where it is not known.
    func written(for id: RequestID) -> Written? { written[id] }

    /// How far an id's time is behind what was forgotten; nil when it is not.
    func lag(of id: RequestID) -> Duration? {
        guard let horizon = marks.horizon, id.time <= horizon else { return nil }
        return id.time.duration(to: horizon)
    }

    /// The place of the first post that is not before that one.
    func firstPlace(from number: PostNumber) -> Int {
        var (first, end) = (0, posts.count)
        while first < end {
            let middle = (first + end) / 2
            if posts[middle].post.number < number { first = middle + 1 } else { end = middle }
        }
        return first
    }

    /// Who an email is among the authors: one who has not written yet gets the next number.
    func author(_ email: Email) -> Author {
        writers[email]?.author ?? Author(number: marks.lastAuthor.next, email: email)
    }

    /// Takes in a post of the next number.
    mutating func add(_ kept: KeptPost) {
        precondition(kept.post.number == marks.lastPost.next && kept.comments.isEmpty, "posts are in order")
        marks.lastPost = kept.post.number
        marks.lastAuthor = max(marks.lastAuthor, kept.post.author.number)
        posts.append(kept)
        take(in: kept)
    }

    /// Takes in a comment of the next number, on a post that is there.
    mutating func add(_ kept: KeptComment) {
        let comment = kept.comment
        guard let place = place(of: comment.post), comment.number == marks.lastComment.next else {
            preconditionFailure("comment \(comment.number) is not the next on a post that is there")
        }
        marks.lastComment = comment.number
        marks.lastAuthor = max(marks.lastAuthor, comment.author.number)
        posts[place].comments.append(kept)
        posts[place].post.comments += 1
        take(in: kept)
    }

    /// Replaces a post by its edited version.
    ///
    /// - Precondition: The logbook has the post.
    mutating func edit(_ post: Post) {
        guard let place = place(of: post.number) else {
            preconditionFailure("post \(post.number) is not there")
        }
        bytes += post.bytesAtMost - posts[place].post.bytesAtMost
        posts[place].post = post
    }

    /// The oldest post that may be forgotten now; nil where there is none.
    ///
    /// - Parameters:
    ///   - kept: One that has to stay.
    ///   - ofController: Whether only what the controller wrote counts.
    func oldest(but kept: PostNumber? = nil, ofController: Bool = false, at now: WallTime) -> PostNumber? {
        let oldest = posts.first {
            $0.post.number != kept && (!ofController || $0.post.author == .controller)
        }
        guard let oldest, oldest.newestID.duration(to: now) >= Limits.shortestPost else { return nil }
        return oldest.post.number
    }

    /// Forgets a post, its comments, and the intentions behind them.
    mutating func forget(_ number: PostNumber) {
        guard let place = place(of: number) else { preconditionFailure("post \(number) is not there") }
        let gone = posts.remove(at: place)
        bytes -= gone.bytes
        marks.horizon = max(marks.horizon ?? gone.newestID, gone.newestID)
        if gone.post.author == .controller { controllerPosts -= 1 }
        if let id = gone.requestID { written[id] = nil }
        forget(gone.post.author)
        for kept in gone.comments {
            written[kept.requestID] = nil
            forget(kept.comment.author)
        }
    }

    private func place(of number: PostNumber) -> Int? {
        let place = firstPlace(from: number)
        return place < posts.count && posts[place].post.number == number ? place : nil
    }

    private mutating func take(in kept: KeptPost) {
        let post = kept.post
        bytes += post.bytesAtMost
        if post.author == .controller { controllerPosts += 1 }
        if let id = kept.requestID { written[id] = .post(post.number) }
        note(post.author)
        for comment in kept.comments { take(in: comment) }
    }

    private mutating func take(in kept: KeptComment) {
        bytes += kept.comment.bytesAtMost
        written[kept.requestID] = .comment(kept.comment.number, on: kept.comment.post)
        note(kept.comment.author)
    }

    private mutating func note(_ author: Author) {
        guard let email = author.email else { return }
        writers[email, default: Writer(author: author)].texts += 1
    }

    private mutating func forget(_ author: Author) {
        guard let email = author.email, let texts = writers[email]?.texts else { return }
        if texts > 1 { writers[email]?.texts -= 1 } else { writers[email] = nil }
    }
}

/// What fits in one message.
extension Logbook {
    private static let room = Limits.chunkBytes - SnapshotChunk.frameBytesAtMost

    /// Some of the posts that somebody wants, the newest first; one at least where there are any.
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

    /// Some of those who have written.
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

extension KeptPost {
    /// Some of the comments, the oldest first; one at least where there are any.
    func chunk(after number: CommentNumber) -> CommentChunk {
        var (found, bytesLeft) = ([Comment](), Limits.chunkBytes - SnapshotChunk.frameBytesAtMost)
        for kept in comments where kept.comment.number > number {
            bytesLeft -= kept.comment.bytesAtMost
            guard bytesLeft >= 0 else { return CommentChunk(comments: found, isLast: false) }
            found.append(kept.comment)
        }
        return CommentChunk(comments: found, isLast: true)
    }
}

/// How much the controller writes in logbooks by itself: so many posts at once, and then one a while, for
/// each account.
///
/// A node that comes and goes all day, or a thousand devices that are reset together, would otherwise push
/// out what people have written, and hold up the loop.
struct OwnPosts: Sendable {
    /// Posts at once.
    static let burst = 20
    /// The time after which there may be one more.
    static let interval: Duration = .seconds(60)

    private struct Budget {
        /// When it is whole again.
        var wholeAt: MonotonicTime
        /// Posts that were left out since the last one.
        var leftOut = 0
    }

    private var budgets: [AccountIndex: Budget] = [:]

    /// Asks for a post.
    ///
    /// - Returns: How many were left out since the last one; nil: this one is left out too.
    mutating func spend(for account: AccountIndex, at now: MonotonicTime) -> Int? {
        var budget = budgets[account] ?? Budget(wholeAt: now)
        defer { budgets[account] = budget }
        let wholeAt = max(budget.wholeAt, now).advanced(by: Self.interval)
        guard now.duration(to: wholeAt) <= Self.interval * Self.burst else {
            budget.leftOut += 1
            return nil
        }
        let leftOut = budget.leftOut
        budget = Budget(wholeAt: wholeAt)
        return leftOut
    }

    /// The account is gone.
    mutating func forget(_ account: AccountIndex) { budgets[account] = nil }
}
