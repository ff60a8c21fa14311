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
