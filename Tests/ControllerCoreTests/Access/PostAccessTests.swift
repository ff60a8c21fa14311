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

        func request(_ number: PostNumber, _ device: DeviceID, _ bench: Bench) throws -> ClientRequest.Body {
            switch self {
            case .list: .logbook(.posts(PostPull()))
            case .post: .logbook(.post(number))
            case .comments: .logbook(.comments(on: number, after: CommentNumber(0)))
            case .authors: .logbook(.authors(after: AuthorNumber(0)))
            case .write: .logbook(.addPost(try bench.draft("New")))
            case .writeAboutDevice:
                .logbook(.addPost(try bench.draft("New", about: .device(device, name: ""))))
            case .comment: .logbook(try bench.comment(on: number, "New"))
            }
        }
    }

    private let bench: Bench
    private let number = PostNumber(1)
    private let device = Bench.device(0)

    init() throws {
        bench = Bench.withAskers()
        for account in Asker.accounts {
            let owner = Asker(account: account, role: .owner)
            let post = try bench.draft("Post of \(account)", body: "secret of \(account)")
            try bench.write(post, token: owner.token)
            try bench.answer(to: try bench.comment(on: number, "secret of \(account)"), token: owner.token)
        }
        bench.effects = []
    }

    @Test(
        "no account and role can read or write posts without permission",
        arguments: Asker.all, Question.allCases)
    func matrix(asker: Asker, question: Question) throws {
        let reply = try bench.answer(to: try question.request(number, device, bench), of: asker)
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
            #expect(reply.refusal?.kind == "notAllowed", "\(reply)")
            #expect(bench.recordChanges.isEmpty)
            return
        }
        // The device belongs to the first account, whoever the author is.
        if question == .writeAboutDevice && asker.account != Asker.accounts[0] {
            #expect(reply == .refusal(.notFound))
        } else if question.isReading {
            #expect(reply.text.contains(asker.account), "\(reply)")
        } else {
            #expect(reply.refusal == nil)
        }
    }

    /// The other account's logbook is unchanged.
    private func expectUntouched(_ account: String) throws {
        let chunk = try bench.posts(token: Asker(account: account, role: .viewer).token)
        #expect(chunk.posts.map(\.title) == ["Post of \(account)"])
        #expect(chunk.posts.first?.comments == 1)
    }
}
