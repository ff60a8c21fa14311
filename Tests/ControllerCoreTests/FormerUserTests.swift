import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Requests and command queues of users who may no longer switch devices")
struct FormerUserTests {
    private static let token = TokenDigest.of(9)

    enum Change: CaseIterable {
        case removal, viewer
    }

    /// The command of a queue when its author is removed.
    enum Stage: CaseIterable {
        case dispatched, inLane, notSubmitted, betweenCommands
    }

    private let bench = Bench.withDevices { $0.add(Session(.ann, .member), digest: Self.token) }

    private func apply(_ change: Change) {
        switch change {
        case .removal: bench.ask(.removeUser(.ann))
        case .viewer: bench.ask(.changeRole(.ann, to: .viewer))
        }
    }

    @Test(
        "a former user's waiting toggles end as cancelled, and only a dispatched one is applied",
        arguments: Change.allCases)
    func requests(change: Change) {
        let sent = bench.toggle(token: Self.token)
        let waiting = [bench.toggle(token: Self.token), bench.toggle(token: Self.token)]
        let other = bench.toggle()
        // The lane of the second device waits for a state, and continues without its first request.
        let incarnation = bench.reportedState().incarnation
        let unknown = FleetProtocol.Expectation(incarnation: incarnation, version: Version(9))
        let heads = [
            bench.toggle(1, expected: unknown, token: Self.token), bench.toggle(1, token: Self.token),
        ]
        apply(change)
        for request in waiting + heads {
            #expect(bench.outcome(of: request.correlation) == .cancelled)
            let stored = bench.report(of: bench.ask(.outcome(request.id)))
            #expect(stored?.outcome == .cancelled && stored?.user == .ann)
        }
        #expect(bench.outcome(of: sent.correlation) == nil)
        #expect(bench.outcome(of: other.correlation) == nil)
        bench.carryOutLast()
        bench.carryOutLast()
        #expect(bench.commands.map(\.identity.requestID) == [sent.id, other.id])
        for request in [sent, other] {
            #expect(bench.outcome(of: request.correlation)?.name == "applied")
        }
    }

    @Test("a new role of a member and a revoked key end nothing")
    func retained() {
        bench.toggle()
        let (key, name) = (TokenDigest.of(8), valid(APIKey.Name("home")))
        bench.ask(.addKey(name, key, .switch), token: Self.token)
        let waiting = bench.toggle(token: key)
        bench.ask(.revokeKey(name), token: Self.token)
        bench.ask(.changeRole(.ann, to: .owner))
        bench.ask(.removeUser(Email.viewer))
        #expect(bench.outcome(of: waiting.correlation) == nil)
        bench.carryOutLast()
        #expect(bench.commands.last?.identity.requestID == waiting.id)
    }

    @Test(
        "a former user's command queue sends no further command, and those of others continue",
        arguments: Change.allCases, Stage.allCases)
    func queues(change: Change, stage: Stage) throws {
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
            bench.carryOutLast()
        }
        let sent = bench.commands.count
        apply(change)
        bench.turns()
        if stage == .dispatched { bench.carryOutLast() }
        #expect(bench.commandQueue(id)?.state == (stage == .notSubmitted ? .cancelled : .stopped))
        let hasRun = stage == .dispatched || stage == .betweenCommands
        #expect(bench.progress(id) == [hasRun ? "applied" : "cancelled", "leftOut", "leftOut"])
        #expect(bench.commands.count == sent)
        #expect(bench.progress(other) == ["running", "waiting", "waiting"])
    }

    @Test("a restarted controller cancels what a user left behind whose removal alone was stored")
    func restart() throws {
        bench.toggle()
        let waiting = bench.toggle(token: Self.token)
        let free = bench.toggle(1, token: Self.token)
        let (queue, _) = bench.start(try bench.plan(devices: 1), token: Self.token)
        bench.configure { $0.users.removeAll { $0.session.email == .ann } }
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
}
