import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Edited and removed posts")
struct LogbookChangeTests {
    private func write(_ bench: Bench, token: TokenDigest? = Bench.token) throws -> (PostDraft, Post) {
        let draft = try PostDraft(requestID: bench.newID(), title: "Leak", body: "in the hall")
        guard
            case .logbook(.post(let post))? = bench.replies(
                to: bench.ask(.logbook(.addPost(draft)), token: token)
            ).last?.decoded
        else {
            throw NotWritten()
        }
        bench.effects = []
        return (draft, post)
    }

    private struct NotWritten: Error {}

    /// Changes the viewer's role to member.
    private func withMember() throws -> Bench {
        let bench = try Bench.withDevices()
        bench.ask(.changeRole(try #require(Email("viewer@sensibus.local")), to: .member))
        return bench
    }

    private func isNotAllowed(_ bench: Bench, _ correlation: UInt64) -> Bool {
        if case .notAllowed? = bench.refusal(of: correlation) { true } else { false }
    }

    @Test("an edit changes the named parts, records the time, and is stored before the reply")
    func edited() throws {
        let bench = try Bench.withDevices()
        let (draft, post) = try write(bench)
        bench.pass(.seconds(5))
        bench.effects = []
        let edit = try PostEdit(number: post.number, title: "Leak, mended", body: nil)
        let asked = bench.ask(.logbook(.editPost(edit)))
        let expected = Post(
            number: post.number, author: post.author, writtenAt: post.writtenAt, title: "Leak, mended",
            body: "in the hall", editedAt: bench.now.wall)
        let record = LogbookRecord.post(expected, requestID: draft.requestID)
        #expect(bench.recordChanges == [ServiceRecord(record, of: try #require(AccountID("demo")))])
        #expect(bench.replies(to: asked) == [.logbook(.post(expected))])
        #expect(bench.replies(to: bench.ask(.logbook(.post(post.number)))) == [.logbook(.post(expected))])
        bench.pass(.seconds(5))
        bench.effects = []
        #expect(
            bench.replies(to: bench.ask(.logbook(.editPost(edit)))) == [.logbook(.post(expected))],
            "the same edit again changes nothing")
        #expect(bench.recordChanges.isEmpty)
        let repeated = bench.ask(.logbook(.addPost(draft)))
        #expect(
            bench.replies(to: repeated) == [.logbook(.post(expected))],
            "a late copy of the draft writes nothing")
    }

    @Test("only the author can edit a post, and not after becoming a viewer")
    func editRefused() throws {
        let bench = try withMember()
        let (_, post) = try write(bench, token: Bench.viewerToken)
        let edit = try PostEdit(number: post.number, title: nil, body: "")
        #expect(isNotAllowed(bench, bench.ask(.logbook(.editPost(edit)))))
        #expect(
            bench.refusal(of: bench.ask(.logbook(.editPost(edit)), token: Bench.strangerToken)) == .notFound)
        bench.ask(.changeRole(try #require(Email("viewer@sensibus.local")), to: .viewer))
        #expect(isNotAllowed(bench, bench.ask(.logbook(.editPost(edit)), token: Bench.viewerToken)))
        #expect(bench.recordChanges.isEmpty)
    }

    @Test("a removed post is gone with its comments, and a late copy of its draft does not write it again")
    func removed() throws {
        let bench = try Bench.withDevices()
        let (draft, post) = try write(bench)
        let comment = try CommentDraft(requestID: bench.newID(), post: post.number, body: "me too")
        bench.ask(.logbook(.addComment(comment)))
        bench.effects = []
        #expect(
            bench.replies(to: bench.ask(.logbook(.removePost(post.number)))) == [
                .logbook(.postRemoved(post.number))
            ])
        let keys = [LogbookRecord.key(of: post.number), LogbookRecord.key(of: CommentNumber(1))]
        #expect(bench.recordChanges.prefix(2).map(\.key) == keys.map(\.bytes))
        #expect(bench.recordChanges.prefix(2).allSatisfy { $0.value == nil })
        let marks = try #require(bench.recordChanges.last?.value)
        guard case .marks(let stored) = try LogbookRecord(wireBytes: marks) else {
            Issue.record("the removal does not store the marks")
            return
        }
        #expect(stored.horizon != nil, "a late copy would be accepted after a restart")
        for body: ClientRequest.Body in [.logbook(.post(post.number)), .logbook(.removePost(post.number))] {
            #expect(bench.refusal(of: bench.ask(body)) == .notFound)
        }
        guard case .idTooOld? = bench.refusal(of: bench.ask(.logbook(.addPost(draft)))) else {
            Issue.record("a late copy of a removed post is not refused")
            return
        }
    }

    @Test("the author and owners can remove a post, other members cannot")
    func removeRefused() throws {
        let bench = try withMember()
        let (_, own) = try write(bench)
        let (_, other) = try write(bench, token: Bench.viewerToken)
        #expect(isNotAllowed(bench, bench.ask(.logbook(.removePost(own.number)), token: Bench.viewerToken)))
        #expect(
            bench.refusal(of: bench.ask(.logbook(.removePost(own.number)), token: Bench.strangerToken))
                == .notFound)
        #expect(
            bench.replies(to: bench.ask(.logbook(.removePost(other.number)))) == [
                .logbook(.postRemoved(other.number))
            ])
        // A request ID of the same millisecond as a removed post, or of an earlier one, is too old.
        bench.pass(.milliseconds(1))
        let (_, again) = try write(bench, token: Bench.viewerToken)
        let removal = bench.ask(.logbook(.removePost(again.number)), token: Bench.viewerToken)
        #expect(bench.replies(to: removal) == [.logbook(.postRemoved(again.number))])
    }
}
