import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("The logbook")
struct LogbookTests {
    private func draft(
        _ bench: Bench, _ title: String = "Leak", id: RequestID? = nil, about subject: PostSubject? = nil
    ) throws -> PostDraft {
        try PostDraft(requestID: id ?? bench.newID(), title: title, body: "in the hall", subject: subject)
    }

    @discardableResult
    private func write(
        _ bench: Bench, _ title: String = "Leak", token: TokenDigest? = Bench.token
    ) throws -> Post {
        let correlation = bench.ask(.logbook(.addPost(try draft(bench, title))), token: token)
        guard case .logbook(.post(let post))? = bench.replies(to: correlation).last?.decoded else {
            Issue.record("\(title) was not written: \(bench.replies(to: correlation))")
            throw FirstRefusal(refusal: bench.refusal(of: correlation))
        }
        return post
    }

    @discardableResult
    private func comment(_ bench: Bench, on post: PostNumber, _ body: String = "me too") throws -> UInt64 {
        bench.ask(.logbook(.addComment(try CommentDraft(requestID: bench.newID(), post: post, body: body))))
    }

    private struct FirstRefusal: Error { let refusal: Refusal? }

    private func posts(
        _ bench: Bench, _ pull: PostPull = PostPull(), token: TokenDigest? = Bench.token
    ) -> PostChunk? {
        let correlation = bench.ask(.logbook(.posts(pull)), token: token)
        guard case .logbook(.posts(let chunk))? = bench.replies(to: correlation).last?.decoded else {
            return nil
        }
        return chunk
    }

    private func titles(_ bench: Bench, _ pull: PostPull = PostPull()) -> [String] {
        posts(bench, pull)?.posts.map(\.title) ?? []
    }

    @Test("a post has its text, author and time, and is stored before the reply")
    func written() throws {
        let bench = try Bench.withDevices()
        let id = bench.newID()
        let correlation = bench.ask(.logbook(.addPost(try draft(bench, id: id))))
        let post = Post(
            number: PostNumber(1),
            author: Author(
                number: AuthorNumber(1), email: try #require(Email("demo@sensibus.local"))),
            writtenAt: bench.now.wall, title: "Leak", body: "in the hall")
        #expect(bench.replies(to: correlation) == [.logbook(.post(post))])
        let account = try #require(AccountID("demo"))
        let record = ServiceRecord(LogbookRecord.post(post, requestID: id), of: account)
        #expect(bench.recordChanges.first == record)
        #expect(posts(bench)?.posts == [post])
        #expect(posts(bench)?.total == 1)
    }

    @Test("a post that arrives several times is written once, also after a restart")
    func once() throws {
        let bench = try Bench.withDevices()
        let draft = try draft(bench)
        let first = bench.replies(to: bench.ask(.logbook(.addPost(draft))))
        #expect(bench.replies(to: bench.ask(.logbook(.addPost(draft)))) == first)
        try bench.restart()
        #expect(bench.replies(to: bench.ask(.logbook(.addPost(draft)))) == first)
        #expect(bench.recordChanges.isEmpty)
        #expect(posts(bench)?.total == 1)
    }

    @Test("a comment that arrives several times is written once, also after a restart")
    func commentOnce() throws {
        let bench = try Bench.withDevices()
        let post = try write(bench)
        let draft = try CommentDraft(requestID: bench.newID(), post: post.number, body: "me too")
        let first = bench.replies(to: bench.ask(.logbook(.addComment(draft))))
        #expect(bench.replies(to: bench.ask(.logbook(.addComment(draft)))) == first)
        try bench.restart()
        #expect(bench.replies(to: bench.ask(.logbook(.addComment(draft)))) == first)
        #expect(posts(bench)?.posts.map(\.comments) == [1])
    }

    @Test("a request ID of one post cannot be used for another text")
    func mismatch() throws {
        let bench = try Bench.withDevices()
        let id = bench.newID()
        bench.ask(.logbook(.addPost(try draft(bench, id: id))))
        #expect(
            bench.refusal(of: bench.ask(.logbook(.addPost(try draft(bench, "Fire", id: id))))) == .idMismatch)
        let comment = try CommentDraft(requestID: id, post: PostNumber(1), body: "me too")
        #expect(bench.refusal(of: bench.ask(.logbook(.addComment(comment)))) == .idMismatch)
        #expect(posts(bench)?.total == 1)
    }

    @Test("a logbook belongs to its account: others cannot read or comment, and have their own numbers")
    func own() throws {
        let bench = try Bench.withDevices()
        try write(bench, "ours")
        #expect(posts(bench, token: Bench.strangerToken)?.posts == [])
        for body: ClientRequest.Body in [
            .logbook(.post(PostNumber(1))), .logbook(.comments(on: PostNumber(1), after: .zero)),
            .logbook(.addComment(try CommentDraft(requestID: bench.newID(), post: PostNumber(1), body: "x"))),
        ] {
            #expect(bench.refusal(of: bench.ask(body, token: Bench.strangerToken)) == .notFound)
        }
        let theirs = try write(bench, "theirs", token: Bench.strangerToken)
        #expect(theirs.number == PostNumber(1))
        #expect(theirs.author.number == AuthorNumber(1))
        #expect(titles(bench) == ["ours"])
    }

    @Test("viewers read the logbook, all other users write")
    func viewers() throws {
        let bench = try Bench.withDevices()
        let post = try write(bench)
        #expect(posts(bench, token: Bench.viewerToken)?.posts == [post])
        let comment = try CommentDraft(requestID: bench.newID(), post: post.number, body: "x")
        for body: ClientRequest.Body in [
            .logbook(.addPost(try draft(bench))), .logbook(.addComment(comment)),
        ] {
            guard case .notAllowed? = bench.refusal(of: bench.ask(body, token: Bench.viewerToken)) else {
                Issue.record("a viewer has written")
                continue
            }
        }
        for body: ClientRequest.Body in [.logbook(.posts(PostPull())), .logbook(.addPost(try draft(bench)))] {
            #expect(bench.refusal(of: bench.ask(body, token: nil)) == .unauthenticated)
        }
    }

    @Test("a post about a device has its current name, and another account's device is not found")
    func subject() throws {
        let bench = try Bench.withDevices()
        let device = DeviceID(fleetSeed: 1, index: 0)
        let about = PostSubject.device(device, name: "")
        let correlation = bench.ask(.logbook(.addPost(try draft(bench, about: about))))
        guard case .logbook(.post(let post))? = bench.replies(to: correlation).last?.decoded else {
            Issue.record("not written")
            return
        }
        #expect(post.subject == .device(device, name: "Room 1"))
        bench.pass(Limits.lease)
        let foreign = bench.ask(
            .logbook(.addPost(try draft(bench, about: about))), token: Bench.strangerToken)
        #expect(bench.refusal(of: foreign) == .notFound)
    }

    @Test("posts are read page by page, the newest first")
    func pages() throws {
        let bench = try Bench.withDevices()
        for number in 1...7 { try write(bench, "\(number)") }
        #expect(titles(bench, PostPull(limit: 3)) == ["7", "6", "5"])
        #expect(titles(bench, PostPull(before: PostNumber(5), limit: 3)) == ["4", "3", "2"])
        #expect(titles(bench, PostPull(skip: 3, limit: 3)) == ["4", "3", "2"])
        #expect(posts(bench, PostPull(before: PostNumber(2), limit: 3))?.isLast == true)
        #expect(posts(bench, PostPull(limit: 3))?.isLast == false)
        #expect(titles(bench, PostPull(author: AuthorNumber(1))).count == 7)
        #expect(posts(bench, PostPull(author: .zero))?.total == 0)
    }

    @Test("posts and comments are sent in chunks within the size limit, for any text")
    func chunks() throws {
        let bench = try Bench.withDevices()
        let body = String(repeating: "ä", count: Limits.postBodyBytes / 2)
        for number in 1...20 {
            let draft = try PostDraft(requestID: bench.newID(), title: "\(number)", body: body)
            bench.ask(.logbook(.addPost(draft)))
        }
        let text = String(repeating: "ö", count: Limits.commentBytes / 2)
        for _ in 1...40 { try comment(bench, on: PostNumber(1), text) }
        var (before, found) = (PostNumber?.none, [String]())
        repeat {
            let chunk = try #require(posts(bench, PostPull(before: before)))
            let reply = ClientReply(correlation: 1, body: .logbook(.posts(chunk)))
            #expect(reply.wireBytes.count <= Limits.chunkBytes)
            found += chunk.posts.map(\.title)
            before = chunk.isLast ? nil : chunk.posts.last?.number
        } while before != nil
        #expect(found == (1...20).reversed().map(String.init))
        var (after, count, isLast) = (CommentNumber.zero, 0, false)
        while !isLast {
            let correlation = bench.ask(.logbook(.comments(on: PostNumber(1), after: after)))
            guard case .logbook(.comments(let chunk))? = bench.replies(to: correlation).last?.decoded else {
                break
            }
            #expect(
                ClientReply(correlation: 1, body: .logbook(.comments(chunk))).wireBytes.count
                    <= Limits.chunkBytes)
            count += chunk.comments.count
            (after, isLast) = (chunk.comments.last?.number ?? after, chunk.isLast)
        }
        #expect(count == 40)
    }

    @Test("an author is listed as long as one of their posts or comments exists")
    func authors() throws {
        let bench = try Bench.withDevices()
        func authors() -> [String] {
            let correlation = bench.ask(.logbook(.authors(after: .zero)), token: Bench.viewerToken)
            guard case .logbook(.authors(let chunk))? = bench.replies(to: correlation).last?.decoded else {
                return []
            }
            return chunk.authors.map { "\($0.number) \($0.email?.address ?? "")" }
        }
        #expect(authors().isEmpty)
        try write(bench)
        #expect(authors() == ["1 demo@sensibus.local"])
        try bench.restart()
        #expect(authors() == ["1 demo@sensibus.local"])
    }

    @Test("a comment beyond a post's limit is refused")
    func manyComments() throws {
        let bench = try Bench.withDevices()
        let post = try write(bench)
        for _ in 0..<Limits.postComments { try comment(bench, on: post.number) }
        guard case .invalid(let why)? = bench.refusal(of: try comment(bench, on: post.number)) else {
            Issue.record("one comment too many")
            return
        }
        #expect(why.contains("add a post"))
        #expect(posts(bench)?.posts.first?.comments == UInt32(Limits.postComments))
    }

    @Test("a post with a request ID far ahead or of another version is refused")
    func ids() throws {
        let bench = try Bench.withDevices()
        let ahead = bench.now.wall.advanced(by: Limits.idAhead + .seconds(1))
        let early = RequestID(at: ahead, using: &bench.generator)
        for id in [early, RequestID(high: 1, low: 2)] {
            guard case .invalid? = bench.refusal(of: bench.ask(.logbook(.addPost(try draft(bench, id: id)))))
            else {
                Issue.record("\(id) was accepted")
                continue
            }
        }
        #expect(posts(bench)?.total == 0)
    }

    @Test("no new posts are accepted while the storage is full")
    func fullDisk() throws {
        let bench = try Bench.withDevices()
        let draft = try draft(bench)
        let first = bench.replies(to: bench.ask(.logbook(.addPost(draft))))
        bench.step(.storage(isFull: true))
        guard case .storageFull? = bench.refusal(of: bench.ask(.logbook(.addPost(try self.draft(bench)))))
        else {
            Issue.record("taken")
            return
        }
        // A repeat of an accepted post is answered, and its reply waits with those that depend on it.
        #expect(bench.replies(to: bench.ask(.logbook(.addPost(draft)))) == first)
    }
}
