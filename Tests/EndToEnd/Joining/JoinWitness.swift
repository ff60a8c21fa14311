import FleetClient
import FleetProtocol
import FleetReplica
import Foundation
import Glibc
import ProcessSupport
import Testing

/// The view of one observer, which a test compares with the devices.
final class JoinWitness: Sendable {
    /// The state of a device as an observer shows it.
    struct Shown: Sendable {
        let isOn: Bool
        let version: Version
        let incarnation: Incarnation
        /// The whole state; nil if the observer prints it.
        var whole: DeviceState?

        func equals(_ state: DeviceState) -> Bool {
            isOn == state.state.isOn && version == state.version && incarnation == state.incarnation
                && (whole == nil || whole == state)
        }
    }

    private let content = Box<(view: [DeviceID: Shown]?, changes: Int)>()

    /// Whether the observer has every device, and does not report that it may be wrong.
    var isWhole: Bool { content.value?.view != nil }
    /// The number of changes that it received.
    var changes: Int { content.value?.changes ?? 0 }

    /// Whether the observer shows exactly these states.
    func shows(_ states: [DeviceID: DeviceState]) -> Bool {
        guard let view = content.value?.view, view.count == states.count else { return false }
        return states.allSatisfy { view[$0.key]?.equals($0.value) == true }
    }

    func see(_ view: [DeviceID: Shown]?, changes: Int) {
        content.value = (view, changes)
    }

    /// Runs `observer` until the task is cancelled, and sees what it prints.
    func observe(_ lab: Lab) async throws {
        let output = try LiveOutput()
        _ = try await lab.run("observer", ["--json", "--snapshot"], output: output.writing) { process in
            defer { kill(process, SIGTERM) }
            var view: [DeviceID: Shown] = [:]
            var isStale = true
            var changes = 0
            for await text in output.lines {
                let line = try JSONDecoder().decode(JoinLine.self, from: Data(text.utf8))
                switch line.kind {
                case "snapshot", "reported": view[try line.id] = try line.shown
                case "resync": isStale = false
                case "stale": isStale = true
                default: break
                }
                if line.kind == "reported" { changes += 1 }
                self.see(isStale ? nil : view, changes: changes)
            }
        }
    }
}

/// A line of `observer --json --snapshot`.
private struct JoinLine: Decodable {
    let kind: String
    let device: String?
    let on: Bool?
    let version: UInt64?
    let incarnation: String?

    var id: DeviceID {
        get throws { try #require(device.flatMap { DeviceID($0) }) }
    }

    var shown: JoinWitness.Shown {
        get throws {
            JoinWitness.Shown(
                isOn: try #require(on as Bool?), version: Version(try #require(version)),
                incarnation: try #require(incarnation.flatMap { Incarnation($0) }))
        }
    }
}

/// A client that follows a fleet as observers do: its replica, and a witness of it.
actor JoiningClient: ReplicaOwner {
    nonisolated let pulls = ReplicaPulls()
    let pullCredentials: Credentials?
    private let account: AccountID
    private let witness: JoinWitness
    private let seed: UInt64
    private var replica: Replica
    private var effects: [Replica.Effect] = []
    private var changes = 0

    init(_ witness: JoinWitness, _ session: StoredSession, seed: UInt64) {
        (self.witness, self.seed) = (witness, seed)
        (account, pullCredentials) = (session.account, session.credentials)
        replica = Replica(random: SeededGenerator(seed: seed))
    }

    func receive(_ input: Replica.Input) {
        replica.step(input, at: SystemClock().now(), into: &effects)
        for effect in effects {
            switch effect {
            case .pull(let pull): pulls.add(pull)
            case .event(let event): if case .reported = event.body { changes += 1 }
            }
        }
        effects.removeAll(keepingCapacity: true)
        if replica.hasUnwrittenRows { receive(.tick) }
    }

    func refuse(_ credentials: Credentials) {
        Issue.record("the controller refuses the session")
    }

    /// Follows the fleet until the task is cancelled.
    func run(at endpoints: FleetClient.Endpoints) async throws {
        try await FleetClient.withClient(
            of: endpoints, threadName: "joining", credentials: pullCredentials,
            clock: { SystemClock().now() }, seed: seed
        ) { client in
            let updates = try await client.updates(of: account, pause: .milliseconds(5))
            await withDiscardingTaskGroup { group in
                group.addTask { await self.followConnection(of: client) }
                group.addTask { await self.answerPulls(with: client) }
                group.addTask { await self.follow(updates) {} }
                while !Task.isCancelled {
                    turn()
                    await Pace.wait(.milliseconds(30))
                }
                group.cancelAll()
            }
        }
    }

    private func turn() {
        receive(.tick)
        var view: [DeviceID: JoinWitness.Shown] = [:]
        replica.forEachRow { row in
            let state = row.reported
            view[row.device] = JoinWitness.Shown(
                isOn: state.state.isOn, version: state.version, incarnation: state.incarnation, whole: state)
        }
        witness.see(replica.isWhole ? view : nil, changes: changes)
    }
}
