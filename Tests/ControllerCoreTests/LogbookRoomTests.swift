import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Room in logbooks")
struct LogbookRoomTests {
    private static let start = Bench.start
    private static let later = start.advanced(by: Limits.shortestPost)

    private var generator = SeededGenerator(seed: 1)

    private mutating func post(
        _ number: UInt64, by author: Author = .controller, body: String = "", at time: WallTime = start
    ) -> StoredPost {
        let post = Post(
            number: PostNumber(number), author: author, writtenAt: time, title: "title", body: body)
        let id = author == .controller ? nil : RequestID(at: time, using: &generator)
        return StoredPost(post, requestID: id)
    }

    private func person(_ number: UInt64 = 1) throws -> Author {
        Author(number: AuthorNumber(number), email: try #require(Email("ann\(number)@example.com")))
    }

    /// Makes room and returns the removed posts; nil if there is none.
    private func room(
        in logbooks: inout Logbooks, of account: AccountIndex = 0, for bytes: Int = 1,
        within share: Int = 1_000_000, by author: Author?, retaining stored: PostNumber? = nil,
        at time: WallTime = later
    ) -> [String]? {
        var removed: [String] = []
        let hasRoom = logbooks.makeRoom(
            for: bytes, within: share, in: account, ofPostBy: author, retaining: stored, at: time
        ) { removed.append("\($0.post.number)") }
        return hasRoom ? removed : nil
    }

    @Test("the oldest posts make room for a new one, and go with their comments, authors and IDs")
    mutating func oldest() throws {
        var logbooks = Logbooks(bounds: .init(posts: 3))
        let (ann, ben) = (try person(1), try person(2))
        let first = post(1, by: ann)
        logbooks[0].add(first)
        logbooks[0].add(post(2, by: ben))
        logbooks[0].add(post(3, by: ben))
        #expect(room(in: &logbooks, by: ben) == ["1"])
        #expect(logbooks[0][PostNumber(1)] == nil)
        #expect(logbooks[0].authors == [ben])
        let id = try #require(first.requestID)
        #expect(logbooks[0].written(for: id) == nil)
        #expect(logbooks[0].lag(of: id) == .zero)
        #expect(logbooks[0].author(try #require(ann.email)).number == AuthorNumber(3))
    }

    @Test("recent posts are not removed to make room: the new post waits")
    mutating func young() throws {
        var logbooks = Logbooks(bounds: .init(posts: 2))
        let ann = try person()
        for number in 1...2 { logbooks[0].add(post(UInt64(number), by: ann)) }
        let early = Self.later.advanced(by: .milliseconds(-1))
        #expect(room(in: &logbooks, by: ann, at: early) == nil)
        #expect(logbooks[0].posts.count == 2)
        #expect(room(in: &logbooks, by: ann) == ["1"])
    }

    @Test("a post with a recent comment is not removed until the comment is old enough")
    mutating func youngComment() throws {
        var logbooks = Logbooks(bounds: .init(posts: 1))
        let ann = try person()
        logbooks[0].add(post(1, by: ann))
        let comment = FleetProtocol.Comment(
            number: CommentNumber(1), post: PostNumber(1), author: ann, writtenAt: Self.later, body: "x")
        logbooks[0].add(
            StoredComment(comment: comment, requestID: RequestID(at: Self.later, using: &generator)))
        #expect(room(in: &logbooks, by: ann) == nil)
        #expect(room(in: &logbooks, by: ann, at: Self.later.advanced(by: Limits.shortestPost)) == ["1"])
        #expect(logbooks[0].bytes == 0)
    }

    @Test("the controller's own posts make room for its own, before those of users")
    mutating func controllers() throws {
        var logbooks = Logbooks(bounds: .init(posts: 10, controllerPosts: 2))
        logbooks[0].add(post(1, by: try person()))
        for number in 2...3 { logbooks[0].add(post(UInt64(number))) }
        #expect(room(in: &logbooks, by: .controller) == ["2"])
        #expect(logbooks[0].controllerPosts == 1)
        #expect(logbooks[0].posts.map(\.post.number.value) == [1, 3])
    }

    @Test("room for a comment is made without removing its post")
    mutating func comments() throws {
        let ann = try person()
        let one = post(1, by: ann, body: String(repeating: "x", count: 1_000))
        var logbooks = Logbooks()
        logbooks[0].add(one)
        logbooks[0].add(post(2, by: ann, body: String(repeating: "x", count: 1_000)))
        #expect(
            room(in: &logbooks, for: 100, within: 2 * one.bytes, by: nil, retaining: PostNumber(1)) == ["2"])
        #expect(logbooks[0].posts.count == 1)
    }

    @Test("room is made from the account's own posts only")
    mutating func own() throws {
        let ann = try person()
        let bytes = post(1, by: ann).bytes
        var logbooks = Logbooks()
        logbooks[0].add(post(1, by: ann))
        for number in 1...3 { logbooks[1].add(post(UInt64(number), by: ann)) }
        #expect(room(in: &logbooks, of: 0, for: bytes, within: bytes, by: ann) == ["1"])
        #expect(logbooks[0].posts.isEmpty)
        #expect(logbooks[1].posts.count == 3)
        #expect(room(in: &logbooks, of: 0, for: bytes + 1, within: bytes, by: ann) == nil)
    }

    @Test("post numbers are not reused after all posts are removed")
    mutating func numbers() throws {
        var logbooks = Logbooks(bounds: .init(posts: 1))
        let ann = try person()
        logbooks[0].add(post(1, by: ann))
        #expect(room(in: &logbooks, by: ann) == ["1"])
        #expect(logbooks[0].marks.lastPost == PostNumber(1))
        var again = Logbook()
        try again.restore(.marks(logbooks[0].marks))
        #expect(again.marks == logbooks[0].marks)
        #expect(again.marks.lastAuthor == AuthorNumber(1))
    }

    @Test("the controller's own posts are limited to a burst, and then one a minute")
    func budget() {
        var budget = OwnPosts()
        var now = MonotonicTime.zero
        for _ in 0..<OwnPosts.burst { #expect(budget.spend(for: 0, at: now) == 0) }
        #expect(budget.spend(for: 0, at: now) == nil)
        #expect(budget.spend(for: 0, at: now) == nil)
        #expect(budget.spend(for: 1, at: now) == 0)
        now = now.advanced(by: OwnPosts.interval)
        #expect(budget.spend(for: 0, at: now) == 2)
        #expect(budget.spend(for: 0, at: now) == nil)
        now = now.advanced(by: OwnPosts.interval * 1_000)
        #expect(budget.spend(for: 0, at: now) == 1)
        for _ in 1..<OwnPosts.burst { #expect(budget.spend(for: 0, at: now) == 0) }
        #expect(budget.spend(for: 0, at: now) == nil)
    }
}
