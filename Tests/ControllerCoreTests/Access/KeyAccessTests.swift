import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

/// Every scope of a key × role of its user × request: what a session may do and a key may not.
@Suite("Requests by scope of the API key")
struct KeyAccessTests {
    /// Requests of every kind, each with the scope that it needs; nil: refused to every key.
    enum Question: CaseIterable, Sendable {
        case status, who, snapshot, history, counters, outcome, posts, authors, sites, commandQueues, roster
        case toggle, cancel, addPost, startCommandQueue, steerCommandQueue
        case users, addUser, removeUser, changePassword, keys, addKey, revokeKey, logout
        case inject, heal, scenario, retire, addSite, removeSite, assignDevices, changeRoster, stageShifts

        var scope: APIKey.Scope? {
            switch self {
            case .status, .who, .snapshot, .history, .counters, .outcome, .posts, .authors, .sites,
                .commandQueues, .roster:
                .read
            case .toggle, .cancel, .addPost, .startCommandQueue, .steerCommandQueue: .switch
            case .users, .addUser, .removeUser, .changePassword, .keys, .addKey, .revokeKey, .logout, .inject,
                .heal, .scenario, .retire, .addSite, .removeSite, .assignDevices, .changeRoster, .stageShifts:
                nil
            }
        }

        func body(_ bench: Bench) throws -> ClientRequest.Body {
            let device = Bench.device(0)
            let name = valid(APIKey.Name("another"))
            return switch self {
            case .status: .status
            case .who: .who
            case .snapshot: .snapshot(cursor: 0)
            case .history: .history(back: .seconds(60), cursor: 0)
            case .counters: .counters(cursor: 0)
            case .outcome: .outcome(bench.newID())
            case .posts: .logbook(.posts(PostPull()))
            case .authors: .logbook(.authors(after: AuthorNumber(0)))
            case .sites: .sites(.list(page: 1, size: 10))
            case .commandQueues: .commandQueues(.list(before: nil, limit: 10))
            case .roster: .roster(.read(RosterPull()))
            case .toggle: .command(Command(requestID: bench.newID(), device: device, kind: .toggle))
            case .cancel: .cancel(bench.newID(), timeout: nil)
            case .addPost: .logbook(.addPost(try bench.draft()))
            case .startCommandQueue: .commandQueues(.start(bench.newID(), .demo(on: device)))
            case .steerCommandQueue: .commandQueues(.steer(bench.newID(), .pause))
            case .users: .users
            case .addUser: .addUser(User(email: .ann, role: .owner, isOperator: true), password: .secret)
            case .removeUser: .removeUser(.ann)
            case .changePassword: .changePassword(.ann, to: .secret)
            case .keys: .keys
            case .addKey: .addKey(name, .of(200))
            case .revokeKey: .revokeKey(name)
            case .logout: .logout(everywhere: true)
            case .inject: .inject(.reboot, devices: [device], duration: .seconds(1))
            case .heal: .heal([])
            case .scenario: .scenario("office-day", beganAt: nil)
            case .retire: .retire([device])
            case .addSite: .sites(.add(try SiteProfile(name: "New")))
            case .removeSite: .sites(.remove(SiteID(of: "New", in: .demo)))
            case .assignDevices: .sites(.assign([device], to: nil))
            case .changeRoster:
                .roster(.change(from: RosterVersion(0), to: try RosterHeading(name: "New", message: "")))
            case .stageShifts: .roster(.stage(bench.newID(), after: 0, [try bench.shift("Ann", 0, 1)]))
            }
        }
    }

    private static let digest = TokenDigest.of(99)

    @Test(
        "an API key can send the requests of its scope, and none that manage the account",
        arguments: Question.allCases)
    func matrix(question: Question) throws {
        for scope in APIKey.Scope.allCases {
            let bench = Bench.withDevices()
            // The user is an owner and operator, so only the key can be the reason of a refusal.
            _ = bench.ask(.addKey(valid(APIKey.Name("script")), Self.digest, scope))
            let body = try question.body(bench)
            bench.effects = []
            let correlation = bench.ask(body, token: Self.digest)
            let includes = question.scope.map(scope.includes) ?? false
            let refused = bench.refusal(of: correlation)?.reason?.contains("key") == true
            #expect(refused != includes, "\(question) with a key of scope \(scope.name)")
            guard !includes else { continue }
            #expect(bench.effects.count == 1, "more than a refusal: \(bench.effects)")
            let session = bench.refusal(to: body)
            #expect(session?.kind != "notAllowed", "\(question) is refused to a session, too")
        }
    }
}
