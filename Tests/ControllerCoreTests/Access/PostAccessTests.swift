import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

/// Every account × role × logbook request: its reply, and what the reply reveals of other accounts.
@Suite("Access to the logbook by account and role")
struct PostAccessTests {
    /// The requests; posts have the same numbers in both accounts.
    enum Question: CaseIterable, Sendable {
        case list, post, comments, authors, write, writeAboutDevice, comment

        var isReading: Bool {
            switch self {
            case .list, .post, .comments, .authors: true
            case .write, .writeAboutDevice, .comment: false
            }
        }

        func request(_ number: PostNumber, _ device: DeviceID, id: RequestID) throws -> ClientRequest.Body {
            switch self {
            case .list: .logbook(.posts(PostPull()))
            case .post: .logbook(.post(number))
            case .comments: .logbook(.comments(on: number, after: CommentNumber(0)))
            case .authors: .logbook(.authors(after: AuthorNumber(0)))
            case .write: .logbook(.addPost(try PostDraft(requestID: id, title: "New", body: "")))
            case .writeAboutDevice:
                .logbook(
                    .addPost(
                        try PostDraft(
                            requestID: id, title: "New", body: "", subject: .device(device, name: ""))))
            case .comment: .logbook(.addComment(try CommentDraft(requestID: id, post: number, body: "New")))
            }
        }
    }

    private let bench: Bench
    private let number = PostNumber(1)
    private let device = DeviceID(fleetSeed: 1, index: 0)

    init() throws {
        bench = try Bench.withAskers()
        for account in Asker.accounts {
            let owner = Asker(account: account, role: .owner)
            let post = try PostDraft(
                requestID: bench.newID(), title: "Post of \(account)", body: "secret of \(account)")
            #expect(Self.isPost(try bench.answer(to: .logbook(.addPost(post)), of: owner)))
            let comment = try CommentDraft(
                requestID: bench.newID(), post: number, body: "secret of \(account)")
            _ = try bench.answer(to: .logbook(.addComment(comment)), of: owner)
        }
        bench.effects = []
    }

    private static func isPost(_ reply: ClientReply.Body) -> Bool {
        if case .logbook(.post)? = reply.decoded { true } else { false }
    }

    @Test(
        "no account and role can read or write posts without permission",
        arguments: Asker.all, Question.allCases)
    func matrix(asker: Asker, question: Question) throws {
        let reply = try bench.answer(
            to: try question.request(number, device, id: bench.newID()), of: asker)
        expect(reply, to: question, by: asker)
        let other = asker.otherAccount
        #expect(!reply.text.contains("of \(other)"))
        #expect(!reply.text.contains("@\(other)"))
        for record in bench.recordChanges { #expect(record.account.name == asker.account, "\(record)") }
        try expectUntouched(other)
    }

    private func expect(_ reply: ClientReply.Body, to question: Question, by asker: Asker) {
        guard let role = asker.role else {
            #expect(reply == .refusal(.unauthenticated))
            return
        }
        guard question.isReading || role != .viewer else {
            guard case .refusal(.notAllowed) = reply else {
                Issue.record("\(question) was answered \(reply)")
                return
            }
            #expect(bench.recordChanges.isEmpty)
            return
        }
        // The device belongs to the first account, whoever the author is.
        if question == .writeAboutDevice && asker.account != Asker.accounts[0] {
            #expect(reply == .refusal(.notFound))
        } else if question.isReading {
            #expect(reply.text.contains(asker.account), "\(reply)")
        } else if case .refusal(let refusal) = reply {
            Issue.record("\(question) was refused: \(refusal)")
        }
    }

    /// The other account's logbook is unchanged.
    private func expectUntouched(_ account: String) throws {
        let reader = Asker(account: account, role: .viewer)
        guard
            case .logbook(.posts(let chunk))? = try bench.answer(to: .logbook(.posts(PostPull())), of: reader)
                .decoded
        else {
            Issue.record("the posts of \(account) are missing")
            return
        }
        #expect(chunk.posts.map(\.title) == ["Post of \(account)"])
        #expect(chunk.posts.first?.comments == 1)
    }
}
