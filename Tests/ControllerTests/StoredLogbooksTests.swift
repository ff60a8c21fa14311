import ControllerCore
import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Stored logbooks")
struct StoredLogbooksTests {
    private static let now = WallTime(unixMilliseconds: 1_800_000_000_123)

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> Store {
        let store = try Store(path: directory.path + "/controller.sqlite", durability: .process)
        _ = try store.beginEpoch(at: Self.now)
        return store
    }

    private func id(_ seed: UInt64) -> RequestID {
        var generator = SeededGenerator(seed: seed)
        return RequestID(at: Self.now, using: &generator)
    }

    private func post(_ number: UInt64, by author: Author, about subject: PostSubject? = nil) -> StoredPost {
        let post = Post(
            number: PostNumber(number), author: author, writtenAt: Self.now, title: "Leak '\(number)'",
            body: "in the hall\n\"now\"", subject: subject)
        return StoredPost(post, requestID: author == .controller ? nil : id(number))
    }

    private func marks(_ post: UInt64, _ comment: UInt64, horizon: WallTime? = nil) -> LogbookMarks {
        var marks = LogbookMarks()
        marks.lastPost = PostNumber(post)
        marks.lastComment = CommentNumber(comment)
        marks.lastAuthor = AuthorNumber(1)
        marks.horizon = horizon
        return marks
    }

    @Test("an edited post has its new text after the store is opened again")
    func edited() throws {
        let demo = try #require(AccountID("demo"))
        let ann = Author(number: AuthorNumber(1), email: try #require(Email("ann@example.com")))
        let persisted = post(1, by: ann)
        try open().append([.logbook(.posted(demo, persisted)), .logbook(.marked(demo, marks(1, 0)))])
        let edit = try PostEdit(number: PostNumber(1), title: "Mended", body: "")
        let edited = persisted.post.edited(edit, at: Self.now)
        try open().append([.logbook(.edited(demo, edited))])
        #expect(try open().logbooks().first?.posts == [StoredPost(edited, requestID: id(1))])
    }

    @Test("logbooks are in the store after it is opened again, with unchanged texts")
    func persisted() throws {
        let (demo, other) = (try #require(AccountID("demo")), try #require(AccountID("other")))
        let ann = Author(number: AuthorNumber(1), email: try #require(Email("ann@example.com")))
        let device = PostSubject.device(DeviceID(fleetSeed: 1, index: 0), name: "Küche")
        let posts = [
            post(1, by: ann, about: device), post(2, by: .controller), post(3, by: ann, about: .site("Home")),
        ]
        let comment = StoredComment(
            FleetProtocol.Comment(
                number: CommentNumber(1), post: PostNumber(3), author: ann, writtenAt: Self.now,
                body: "me too"),
            requestID: id(9))
        try open().append(
            posts.map { .logbook(.posted(demo, $0)) } + [
                .logbook(.commented(demo, comment)), .logbook(.marked(demo, marks(3, 1))),
                .logbook(.posted(other, post(1, by: ann))), .logbook(.marked(other, marks(1, 0))),
            ])
        let third = StoredPost(posts[2].post, requestID: posts[2].requestID, comments: [comment])
        #expect(
            try open().logbooks() == [
                StoredLogbook(account: demo, marks: marks(3, 1), posts: [posts[0], posts[1], third]),
                StoredLogbook(account: other, marks: marks(1, 0), posts: [post(1, by: ann)]),
            ])
        #expect(third.post.comments == 1)
    }

    @Test("logbooks have no deleted posts after a restart, and continue their numbers")
    func removed() throws {
        let demo = try #require(AccountID("demo"))
        let ann = Author(number: AuthorNumber(1), email: try #require(Email("ann@example.com")))
        let comment = StoredComment(
            FleetProtocol.Comment(
                number: CommentNumber(1), post: PostNumber(1), author: ann, writtenAt: Self.now,
                body: "me too"),
            requestID: id(9))
        try open().append([
            .logbook(.posted(demo, post(1, by: ann))), .logbook(.commented(demo, comment)),
            .logbook(.posted(demo, post(2, by: ann))),
            .logbook(.marked(demo, marks(2, 1))),
        ])
        try open().append([
            .logbook(.removed(demo, [PostNumber(1)])),
            .logbook(.marked(demo, marks(2, 1, horizon: Self.now))),
        ])
        let expected = StoredLogbook(
            account: demo, marks: marks(2, 1, horizon: Self.now), posts: [post(2, by: ann)])
        #expect(try open().logbooks() == [expected])
    }

    @Test("a batch of logbook entries is stored completely or not at all")
    func batch() throws {
        let demo = try #require(AccountID("demo"))
        let store = try open()
        #expect(throws: StorageError.self) {
            try store.append([
                .logbook(.posted(demo, post(1, by: .controller))),
                .logbook(.posted(demo, post(1, by: .controller))),
                .logbook(.marked(demo, marks(1, 0))),
            ])
        }
        #expect(try store.logbooks().isEmpty)
        try store.append([
            .logbook(.posted(demo, post(1, by: .controller))), .logbook(.marked(demo, marks(1, 0))),
        ])
        #expect(try store.logbooks().count == 1)
    }
}
