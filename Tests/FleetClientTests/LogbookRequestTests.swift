import FleetProtocol
import TestSupport
import Testing

@testable import FleetClient

@Suite("Logbook requests", .timeLimit(.minutes(1)))
struct LogbookRequestTests {
    private static let at = WallTime(unixMilliseconds: 1_800_000_000_000)

    private func post(_ number: UInt64) -> Post {
        Post(
            number: PostNumber(number), author: .controller, writtenAt: Self.at, title: "Post \(number)",
            body: "")
    }

    private func draft() throws -> PostDraft {
        try PostDraft(
            requestID: RequestID(high: 0x0190_a6e8_7c5b_7d2e, low: 1 << 63), title: "Leak", body: "")
    }

    @Test("posts are requested chunk by chunk, up to the wanted number")
    func chunks() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            async let found = bench.client.posts(5, skip: 3)
            let first = try #require(await requests.next())
            #expect(first.request.body == .logbook(.posts(PostPull(skip: 3, limit: 5))))
            try await controller.answer(
                first,
                .logbook(.posts(PostChunk(posts: [post(9), post(8), post(7)], total: 12, isLast: false))))
            let second = try #require(await requests.next())
            #expect(second.request.body == .logbook(.posts(PostPull(before: PostNumber(7), limit: 2))))
            try await controller.answer(
                second, .logbook(.posts(PostChunk(posts: [post(6), post(5)], total: 12, isLast: false))))
            let (posts, total) = try await found
            #expect(posts.map(\.number.value) == [9, 8, 7, 6, 5])
            #expect(total == 12)
        }
    }

    @Test("a chunk of posts without progress is an unexpected reply")
    func nowhere() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            async let found = bench.client.posts(5)
            let request = try #require(await requests.next())
            try await controller.answer(
                request, .logbook(.posts(PostChunk(posts: [], total: 3, isLast: false))))
            do {
                _ = try await found
                Issue.record("it was accepted")
            } catch {
                #expect(error as? FleetError == .unexpectedReply)
            }
        }
    }

    @Test("all comments on a post and all authors are requested")
    func comments() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let author = Author(number: AuthorNumber(1), email: try Samples.email())
            let comment = FleetProtocol.Comment(
                number: CommentNumber(4), post: PostNumber(2), author: author, writtenAt: Self.at, body: "x")
            async let comments = bench.client.comments(on: PostNumber(2))
            let first = try #require(await requests.next())
            #expect(first.request.body == .logbook(.comments(on: PostNumber(2), after: .zero)))
            try await controller.answer(
                first, .logbook(.comments(CommentChunk(comments: [comment], isLast: false))))
            let second = try #require(await requests.next())
            #expect(second.request.body == .logbook(.comments(on: PostNumber(2), after: CommentNumber(4))))
            try await controller.answer(second, .logbook(.comments(CommentChunk(comments: [], isLast: true))))
            #expect(try await comments == [comment])
            async let authors = bench.client.authors()
            let third = try #require(await requests.next())
            try await controller.answer(
                third, .logbook(.authors(AuthorChunk(authors: [author], isLast: true))))
            #expect(try await authors == [author])
        }
    }

    @Test("a post with another text than the draft is an unexpected reply")
    func otherText() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let draft = try draft()
            async let written = bench.client.write(draft)
            let request = try #require(await requests.next())
            #expect(request.request.body == .logbook(.addPost(draft)))
            try await controller.answer(request, .logbook(.post(post(1))))
            do {
                _ = try await written
                Issue.record("it was accepted")
            } catch {
                #expect(error as? FleetError == .unexpectedReply)
            }
        }
    }

    @Test("a post without a reply is sent again with the same ID, so it is written once")
    func again() throws {
        var stage = try Stage()
        let draft = try draft()
        try stage.begin(LogbookRequest.addPost(draft))
        stage.wait(.seconds(2))
        #expect(stage.sent.count >= 2)
        stage.disconnect()
        stage.connect()
        stage.wait(.seconds(1))
        #expect(stage.sent.count >= 3)
        #expect(stage.sent.allSatisfy { $0.request.body == .logbook(.addPost(draft)) })
        try stage.answer(.logbook(.post(post(1))))
        #expect(stage.ends.count == 1)
    }
}
