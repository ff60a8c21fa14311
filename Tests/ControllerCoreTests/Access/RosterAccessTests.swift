import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

/// Every account × role × roster request: its reply, and what the reply reveals of other accounts.
@Suite("Access to rosters by account and role")
struct RosterAccessTests {
    /// The requests.
    enum Question: CaseIterable, Sendable {
        case read, change, stage, replace

        func request(_ bench: Bench, staged id: RequestID) throws -> RosterRequest {
            switch self {
            case .read: .read(RosterPull())
            case .change: .change(from: RosterVersion(2), to: try RosterHeading(name: "New", message: ""))
            case .stage: .stage(bench.newID(), after: 0, [try bench.shift("New", 0, 1)])
            case .replace:
                .replace(RosterImport(requestID: id, base: RosterVersion(2), shifts: 0, timeZone: .utc))
            }
        }
    }

    private let bench: Bench

    /// Each account has a roster that contains its secret, at version 2.
    init() throws {
        bench = Bench.withAskers()
        for account in Asker.accounts {
            let token = Asker(account: account, role: .owner).token
            let heading = try RosterHeading(name: "Secret of \(account)", message: "secret of \(account)")
            bench.askRoster(.change(from: .zero, to: heading), token: token)
            bench.importShifts([try bench.shift("Secret of \(account)", 0, 1)], token: token)
        }
        bench.effects = []
    }

    @Test(
        "all users of an account read its roster, owners change it, and other accounts have no access",
        arguments: Asker.all, Question.allCases)
    func matrix(asker: Asker, question: Question) throws {
        let id = bench.newID()
        let request = try question.request(bench, staged: id)
        let reply = try #require(bench.askRoster(request, token: asker.token))
        if asker.role == nil {
            #expect(reply == .refusal(.unauthenticated))
        } else if question == .read {
            #expect(reply.text.contains("Secret of \(asker.account)"))
        } else if asker.role == .owner {
            #expect(reply.refusal == nil)
        } else {
            #expect(reply.refusal?.kind == "notAllowed", "\(reply)")
            #expect(bench.recordChanges.isEmpty)
        }
        let other = asker.otherAccount
        #expect(!reply.text.lowercased().contains("secret of \(other)"))
        for record in bench.recordChanges { #expect(record.account.name != other) }
        let untouched = try #require(bench.roster(token: Asker(account: other, role: .viewer).token))
        #expect(untouched.roster.version == RosterVersion(2))
        #expect(untouched.shifts.map(\.who) == ["Secret of \(other)"])
    }
}
