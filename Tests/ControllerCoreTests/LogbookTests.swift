import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("The logbook")
struct LogbookTests {
    private let bench = Bench.withDevices()

    private func titles(_ pull: PostPull = PostPull()) throws -> [String] {
        try bench.posts(pull).posts.map(\.title)
    }

    @Test("a post has its text, author and time, and is stored before the reply")
    func written() throws {
        let draft = try bench.draft()
        let post = Post(
            number: PostNumber(1), author: Author(number: AuthorNumber(1), email: .demo),
            writtenAt: bench.now.wall, title: "Leak", body: "in the hall")
        #expect(try bench.write(draft) == post)
        let record = ServiceRecord(LogbookRecord.post(post, requestID: draft.requestID), of: .demo)
        #expect(bench.recordChanges.first == record)
        #expect(try bench.posts() == PostChunk(posts: [post], total: 1, isLast: true))
    }

    @Test("a post that arrives several times is written once, also after a restart")
    func once() throws {
        let draft = try bench.draft()
        let first = try bench.write(draft)
        #expect(try bench.write(draft) == first)
        try bench.restart()
        #expect(try bench.write(draft) == first)
        #expect(bench.recordChanges.isEmpty)
        #expect(try bench.posts().total == 1)
    }

    @Test("a comment that arrives several times is written once, also after a restart")
    func commentOnce() throws {
        let comment = try bench.comment(on: try bench.write().number)
        let first = try bench.answer(to: comment)
        #expect(try bench.answer(to: comment) == first)
        try bench.restart()
        #expect(try bench.answer(to: comment) == first)
        #expect(try bench.posts().posts.map(\.comments) == [1])
    }

    @Test("a request ID of one post cannot be used for another text")
    func mismatch() throws {
        let id = bench.newID()
        try bench.write(try bench.draft(id: id))
        let fire = LogbookRequest.addPost(try bench.draft("Fire", id: id))
        let comment = try CommentDraft(requestID: id, post: PostNumber(1), body: "me too")
        for request in [fire, .addComment(comment)] {
            #expect(bench.refusal(to: request) == .idMismatch)
        }
        #expect(try bench.posts().total == 1)
    }

    @Test("a logbook belongs to its account: others cannot read or comment, and have their own numbers")
    func own() throws {
        try bench.write("ours")
        #expect(try bench.posts(token: Bench.strangerToken).posts == [])
        let first = PostNumber(1)
        for request in [.post(first), .comments(on: first, after: .zero), try bench.comment(on: first)] {
            #expect(bench.refusal(to: request, token: Bench.strangerToken) == .notFound)
        }
        let theirs = try bench.write("theirs", token: Bench.strangerToken)
        #expect(theirs.number == PostNumber(1))
        #expect(theirs.author.number == AuthorNumber(1))
        #expect(try titles() == ["ours"])
    }

    @Test("viewers read the logbook, all other users write")
    func viewers() throws {
        let post = try bench.write()
        #expect(try bench.posts(token: Bench.viewerToken).posts == [post])
        let draft = LogbookRequest.addPost(try bench.draft())
        for request in [draft, try bench.comment(on: post.number)] {
            #expect(bench.refusal(to: request, token: Bench.viewerToken)?.kind == "notAllowed")
        }
        for request in [draft, .posts(PostPull())] {
            #expect(bench.refusal(to: request, token: nil) == .unauthenticated)
        }
    }

    @Test("a post about a device has its current name, and another account's device is not found")
    func subject() throws {
        let about = PostSubject.device(Bench.device(0), name: "")
        let post = try bench.write(try bench.draft(about: about))
        #expect(post.subject == .device(Bench.device(0), name: "Room 1"))
        bench.pass(Limits.lease)
        let foreign = LogbookRequest.addPost(try bench.draft(about: about))
        #expect(bench.refusal(to: foreign, token: Bench.strangerToken) == .notFound)
    }

    @Test("posts are read page by page, the newest first")
    func pages() throws {
        for number in 1...7 { try bench.write("\(number)") }
        #expect(try titles(PostPull(limit: 3)) == ["7", "6", "5"])
        #expect(try titles(PostPull(before: PostNumber(5), limit: 3)) == ["4", "3", "2"])
        #expect(try titles(PostPull(skip: 3, limit: 3)) == ["4", "3", "2"])
        #expect(try bench.posts(PostPull(before: PostNumber(2), limit: 3)).isLast)
        #expect(try !bench.posts(PostPull(limit: 3)).isLast)
        #expect(try titles(PostPull(author: AuthorNumber(1))).count == 7)
        #expect(try bench.posts(PostPull(author: .zero)).total == 0)
    }

    @Test("posts and comments are sent in chunks within the size limit, for any text")
    func chunks() throws {
        let body = String(repeating: "ä", count: Limits.postBodyBytes / 2)
        for number in 1...20 { try bench.write(try bench.draft("\(number)", body: body)) }
        let text = String(repeating: "ö", count: Limits.commentBytes / 2)
        for _ in 1...40 { try bench.answer(to: try bench.comment(on: PostNumber(1), text)) }
        var (before, found) = (PostNumber?.none, [String]())
        repeat {
            let chunk = try bench.posts(PostPull(before: before))
            let reply = ClientReply(correlation: 1, body: .logbook(.posts(chunk)))
            #expect(reply.wireBytes.count <= Limits.chunkBytes)
            found += chunk.posts.map(\.title)
            before = chunk.isLast ? nil : chunk.posts.last?.number
        } while before != nil
        #expect(found == (1...20).reversed().map(String.init))
        var (after, count, isLast) = (CommentNumber.zero, 0, false)
        while !isLast {
            let request = LogbookRequest.comments(on: PostNumber(1), after: after)
            guard case .comments(let chunk) = try bench.answer(to: request) else { break }
            let reply = ClientReply(correlation: 1, body: .logbook(.comments(chunk)))
            #expect(reply.wireBytes.count <= Limits.chunkBytes)
            count += chunk.comments.count
            (after, isLast) = (chunk.comments.last?.number ?? after, chunk.isLast)
        }
        #expect(count == 40)
    }

    @Test("an author is listed as long as one of their posts or comments exists")
    func authors() throws {
        func authors() throws -> [String] {
            let request = LogbookRequest.authors(after: .zero)
            guard case .authors(let chunk) = try bench.answer(to: request, token: Bench.viewerToken) else {
                return []
            }
            return chunk.authors.map { "\($0.number) \($0.email?.address ?? "")" }
        }
        #expect(try authors().isEmpty)
        try bench.write()
        #expect(try authors() == ["1 demo@sensibus.local"])
        try bench.restart()
        #expect(try authors() == ["1 demo@sensibus.local"])
    }

    @Test("a comment beyond a post's limit is refused")
    func manyComments() throws {
        let post = try bench.write()
        for _ in 0..<Limits.postComments { try bench.answer(to: try bench.comment(on: post.number)) }
        let refusal = bench.refusal(to: try bench.comment(on: post.number))
        #expect(refusal?.problem?.contains("add a post") == true)
        #expect(try bench.posts().posts.first?.comments == UInt32(Limits.postComments))
    }

    @Test("a post with a request ID far ahead or of another version is refused")
    func ids() throws {
        let ahead = bench.now.wall.advanced(by: Limits.idAhead + .seconds(1))
        let early = RequestID(at: ahead, using: &bench.generator)
        for id in [early, RequestID(high: 1, low: 2)] {
            #expect(bench.refusal(to: LogbookRequest.addPost(try bench.draft(id: id)))?.kind == "invalid")
        }
        #expect(try bench.posts().total == 0)
    }

    @Test("no new posts are accepted while the storage is full")
    func fullDisk() throws {
        let draft = try bench.draft()
        let first = try bench.write(draft)
        bench.step(.storage(isFull: true))
        #expect(bench.refusal(to: LogbookRequest.addPost(try bench.draft()))?.kind == "storageFull")
        // A repeat of an accepted post is answered, and its reply waits with those that depend on it.
        #expect(try bench.write(draft) == first)
    }

    // MARK: Edits and removals

    @Test("an edit changes the named parts, records the time, and is stored before the reply")
    func edited() throws {
        let draft = try bench.draft()
        let post = try bench.write(draft)
        bench.pass(.seconds(5))
        bench.effects = []
        let edit = try PostEdit(number: post.number, title: "Leak, mended", body: nil)
        let asked = try bench.answer(to: LogbookRequest.editPost(edit))
        let expected = Post(
            number: post.number, author: post.author, writtenAt: post.writtenAt, title: "Leak, mended",
            body: "in the hall", editedAt: bench.now.wall)
        let record = LogbookRecord.post(expected, requestID: draft.requestID)
        #expect(bench.recordChanges == [ServiceRecord(record, of: .demo)])
        #expect(asked == .post(expected))
        #expect(try bench.answer(to: LogbookRequest.post(post.number)) == .post(expected))
        bench.pass(.seconds(5))
        bench.effects = []
        let again = try bench.answer(to: LogbookRequest.editPost(edit))
        #expect(again == .post(expected), "the same edit again changes nothing")
        #expect(bench.recordChanges.isEmpty)
        #expect(try bench.write(draft) == expected, "a late copy of the draft writes nothing")
    }

    @Test("only the author can edit a post, and not after becoming a viewer")
    func editRefused() throws {
        bench.ask(.changeRole(.viewer, to: .member))
        let post = try bench.write(token: Bench.viewerToken)
        let edit = LogbookRequest.editPost(try PostEdit(number: post.number, title: nil, body: ""))
        bench.effects = []
        #expect(bench.refusal(to: edit)?.kind == "notAllowed")
        #expect(bench.refusal(to: edit, token: Bench.strangerToken) == .notFound)
        bench.ask(.changeRole(.viewer, to: .viewer))
        #expect(bench.refusal(to: edit, token: Bench.viewerToken)?.kind == "notAllowed")
        #expect(bench.recordChanges.isEmpty)
    }

    @Test("a removed post is gone with its comments, and a late copy of its draft does not write it again")
    func removed() throws {
        let draft = try bench.draft()
        let post = try bench.write(draft)
        try bench.answer(to: try bench.comment(on: post.number))
        bench.effects = []
        let removal = LogbookRequest.removePost(post.number)
        #expect(try bench.answer(to: removal) == .postRemoved(post.number))
        let keys = [LogbookRecord.key(of: post.number), LogbookRecord.key(of: CommentNumber(1))]
        #expect(bench.recordChanges.prefix(2).map(\.key) == keys.map(\.bytes))
        #expect(bench.recordChanges.prefix(2).allSatisfy { $0.value == nil })
        let marks = try #require(bench.recordChanges.last?.value)
        guard case .marks(let stored) = try LogbookRecord(wireBytes: marks) else {
            throw Bench.Refused(refusal: nil)
        }
        #expect(stored.horizon != nil, "a late copy would be accepted after a restart")
        for request in [.post(post.number), removal] { #expect(bench.refusal(to: request) == .notFound) }
        #expect(bench.refusal(to: LogbookRequest.addPost(draft))?.kind == "idTooOld")
    }

    @Test("the author and owners can remove a post, other members cannot")
    func removeRefused() throws {
        bench.ask(.changeRole(.viewer, to: .member))
        let own = try bench.write()
        let other = try bench.write(token: Bench.viewerToken)
        let removal = LogbookRequest.removePost(own.number)
        #expect(bench.refusal(to: removal, token: Bench.viewerToken)?.kind == "notAllowed")
        #expect(bench.refusal(to: removal, token: Bench.strangerToken) == .notFound)
        let byOwner = LogbookRequest.removePost(other.number)
        #expect(try bench.answer(to: byOwner) == .postRemoved(other.number))
        // A request ID of the same millisecond as a removed post, or of an earlier one, is too old.
        bench.pass(.milliseconds(1))
        let again = try bench.write(token: Bench.viewerToken)
        let byAuthor = LogbookRequest.removePost(again.number)
        #expect(try bench.answer(to: byAuthor, token: Bench.viewerToken) == .postRemoved(again.number))
    }
}
