import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Requests and command queues of users who may no longer switch devices")
struct FormerUserTests {
    private static let token = TokenDigest([UInt8](repeating: 9, count: 32))

    enum Change: CaseIterable {
        case removal, viewer
    }

    /// The command of a queue when its author is removed.
    enum Stage: CaseIterable {
        case dispatched, inLane, notSubmitted, betweenCommands
    }

    /// A bench with a member, Ann.
    private func bench() throws -> (bench: Bench, ann: Email) {
        let ann = try #require(Email("ann@sensibus.local"))
        let bench = try Bench.withDevices { configuration in
            guard let digest = Self.token else { return }
            let session = Session(
                account: configuration.users[0].session.account, email: ann, role: .member, isOperator: false)
            configuration.users.append(.init(session: session, passwordHash: "hash"))
            let start = WallTime(unixMilliseconds: 1_800_000_000_000)
            configuration.sessions.append(.init(digest: digest, email: ann, openedAt: start))
        }
        return (bench, ann)
    }

    private func apply(_ change: Change, to user: Email, on bench: Bench) {
        switch change {
        case .removal: bench.ask(.removeUser(user))
        case .viewer: bench.ask(.changeRole(user, to: .viewer))
        }
    }

    @Test(
        "a former user's waiting toggles end as cancelled, and only a dispatched one is applied",
        arguments: Change.allCases)
    func requests(change: Change) throws {
        let (bench, ann) = try bench()
        let sent = bench.toggle(token: Self.token)
        let waiting = [bench.toggle(token: Self.token), bench.toggle(token: Self.token)]
        let other = bench.toggle()
        // The lane of the second device waits for a state, and continues without its first request.
        let incarnation = bench.reportedState().incarnation
        let unknown = FleetProtocol.Expectation(incarnation: incarnation, version: Version(9))
        let heads = [
            bench.toggle(1, expected: unknown, token: Self.token), bench.toggle(1, token: Self.token),
        ]
        apply(change, to: ann, on: bench)
        for request in waiting + heads {
            #expect(bench.outcome(of: request.correlation) == .cancelled)
            let report = bench.replies(to: bench.ask(.outcome(request.id)))
            guard case .outcome(let stored)? = report.first else { throw MissingReport() }
            #expect(stored.outcome == .cancelled && stored.user == ann)
        }
        #expect(bench.outcome(of: sent.correlation) == nil)
        #expect(bench.outcome(of: other.correlation) == nil)
        try bench.carryOutLast()
        try bench.carryOutLast()
        #expect(bench.commands.map(\.identity.requestID) == [sent.id, other.id])
        for request in [sent, other] {
            #expect(bench.outcome(of: request.correlation)?.name == "applied")
        }
    }

    @Test("a new role of a member and a revoked key end nothing")
    func retained() throws {
        let (bench, ann) = try bench()
        bench.toggle()
        let key = try #require(TokenDigest([UInt8](repeating: 8, count: 32)))
        let name = try #require(APIKey.Name("home"))
        bench.ask(.addKey(name, key, .switch), token: Self.token)
        let waiting = bench.toggle(token: key)
        bench.ask(.revokeKey(name), token: Self.token)
        bench.ask(.changeRole(ann, to: .owner))
        bench.ask(.removeUser(try #require(Email("viewer@sensibus.local"))))
        #expect(bench.outcome(of: waiting.correlation) == nil)
        try bench.carryOutLast()
        #expect(bench.commands.last?.identity.requestID == waiting.id)
    }

    @Test(
        "a former user's command queue sends no further command, and those of others continue",
        arguments: Change.allCases, Stage.allCases)
    func queues(change: Change, stage: Stage) throws {
        let (bench, ann) = try bench()
        let (other, _) = bench.start(try bench.plan(devices: 1))
        let plan = try QueuePlan(
            commands: try bench.plan().commands.map { command in
                QueueCommand(
                    label: command.label, device: DeviceID(fleetSeed: 1, index: stage == .inLane ? 0 : 1),
                    kind: command.kind, takes: command.takes)
            }, onFailure: .stop)
        let id = bench.newID()
        bench.ask(.commandQueues(.start(id, plan)), token: Self.token)
        if stage != .notSubmitted { bench.turns() }
        if stage == .betweenCommands {
            bench.steer(id, .pause)
            try bench.carryOutLast()
        }
        let sent = bench.commands.count
        apply(change, to: ann, on: bench)
        bench.turns()
        if stage == .dispatched { try bench.carryOutLast() }
        #expect(bench.commandQueue(id)?.state == (stage == .notSubmitted ? .cancelled : .stopped))
        let hasRun = stage == .dispatched || stage == .betweenCommands
        #expect(bench.progress(id) == [hasRun ? "applied" : "cancelled", "leftOut", "leftOut"])
        #expect(bench.commands.count == sent)
        #expect(bench.progress(other) == ["running", "waiting", "waiting"])
    }

    @Test("a restarted controller cancels what a user left behind whose removal alone was stored")
    func restart() throws {
        let (bench, ann) = try bench()
        bench.toggle()
        let waiting = bench.toggle(token: Self.token)
        let free = bench.toggle(1, token: Self.token)
        let (queue, _) = bench.start(try bench.plan(devices: 1), token: Self.token)
        bench.configure { $0.users.removeAll { $0.session.email == ann } }
        try bench.restartWithNode()
        bench.turns()
        let sent = Set(bench.commands.map(\.identity.requestID))
        #expect(!sent.contains(waiting.id))
        #expect(sent.contains(free.id), "an earlier run may have sent it")
        let ended = bench.stored.compactMap { entry -> RequestID? in
            guard case .ended(_, let report, _, _) = entry, report.outcome == .cancelled else { return nil }
            return report.requestID
        }
        #expect(ended.contains(waiting.id) && ended.count == 2)
        #expect(bench.commandQueue(queue)?.state.isFinal == true)
    }

    private struct MissingReport: Error {}
}
