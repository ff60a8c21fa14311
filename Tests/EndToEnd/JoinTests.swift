import ArgumentParser
import DeviceCore
import FleetProtocol
import FleetReplica
import FleetTime
import Foundation
import ObserverCore
import ProcessSupport
import TestSupport
import Testing

@testable import observer

extension EndToEnd {
    /// An observer's replica, compared with the devices' memory.
    @Suite("Observers that join")
    struct JoinTests {
        private static let observers = 200
        private static let scenario = """
            about: Every device is switched by hand once a second, and some lose their Wi-Fi.
            people: {hand-remotes-per-hour: 3600}
            network: {drops-per-hour: 60, mean-time-without: 500ms}
            """

        @Test(
            "observers that join a changing fleet at 200 random moments end with each device's real state",
            .timeLimit(.minutes(3)))
        func truth() async throws {
            try await Lab.withLab { lab in
                let churn = "\(lab.directory)/churn.yaml"
                try Self.scenario.write(toFile: churn, atomically: true, encoding: .utf8)
                let up = try await lab.fleet(
                    "up", "--detach", "--no-gateway", "--devices", "60", "--nodes", "2", "--scenario", churn)
                try #require(up.status == 0, "fleet up: \(up.talk)")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let witnesses = try await join(&group, lab)
                    let end = try await lab.fleet("scenario", "quiet")
                    #expect(end.status == 0, "\(end.talk)")
                    let took = try await Pace.look(for: .seconds(20).slowed) {
                        let truth = try Self.truth(in: lab)
                        return witnesses.allSatisfy { $0.view == truth }
                    }
                    let truth = try Self.truth(in: lab)
                    #expect(truth.count == 60)
                    #expect(took != nil, "\(witnesses.count { $0.view != truth }) differ")
                    #expect(witnesses.allSatisfy { $0.changes > 0 })
                    group.cancelAll()
                    do {
                        try await group.waitForAll()
                    } catch is CancellationError {
                        // They have received all changes.
                    }
                }
            }
        }

        /// Starts observers one after another, some changes apart.
        private func join(
            _ group: inout ThrowingTaskGroup<Void, any Error>, _ lab: Lab
        ) async throws -> [Witness] {
            let access = try AccessOptions.parse(["--run-dir", "\(lab.directory)/.sensibus"])
            var random = SeededGenerator(seed: 7)
            var witnesses: [Witness] = []
            for _ in 0..<Self.observers {
                let witness = Witness()
                witnesses.append(witness)
                group.addTask {
                    _ = try await Observation(access: access).run(parent: ParentWatch(expectedParent: nil)) {
                        _, _ in
                        WitnessPresenter(witness: witness)
                    }
                }
                guard let first = witnesses.first else { continue }
                let changes = first.changes + Int.random(in: 0...6, using: &random)
                let seen = await Pace.look(for: .seconds(10).slowed) { first.changes >= changes }
                try #require(seen != nil, "the first observer receives no more changes")
            }
            let all = await Pace.look(for: .seconds(10).slowed) {
                witnesses.allSatisfy { $0.view != nil && $0.changes > 0 }
            }
            try #require(all != nil, "\(witnesses.count { $0.view == nil }) observers have not joined")
            return witnesses
        }

        /// The states in the devices' memories, over all nodes.
        private static func truth(in lab: Lab) throws -> [DeviceID: DeviceState] {
            var states: [DeviceID: DeviceState] = [:]
            for node in ["node-1", "node-2"] {
                var replay = MemoryReplay()
                let bytes = [UInt8](try Data(contentsOf: URL(filePath: lab.file("memory/\(node).entries"))))
                try replay.append(bytes[...])
                _ = try replay.finish()
                for (device, memory) in replay.memory.devices { states[device] = memory.reported }
            }
            return states
        }
    }
}

/// The view of one observer.
private final class Witness: Sendable {
    private let content = Box<(view: [DeviceID: DeviceState]?, changes: Int)>()

    /// The devices' states; nil while the observer reports that it may be wrong.
    var view: [DeviceID: DeviceState]? { content.value?.view }
    /// The number of changes it received.
    var changes: Int { content.value?.changes ?? 0 }

    func see(_ view: [DeviceID: DeviceState]?, changes: Int) {
        content.value = (view, changes)
    }
}

/// Passes a replica to a witness.
private struct WitnessPresenter: Presenter {
    let witness: Witness
    private var changes = 0

    init(witness: Witness) {
        self.witness = witness
    }

    mutating func handle(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {
        if case .fleet(.reported) = event.body { changes += 1 }
    }

    mutating func turn(_ replica: Replica, at now: Moment, into output: inout [UInt8]) {
        var view: [DeviceID: DeviceState] = [:]
        replica.forEachRow { view[$0.device] = $0.reported }
        witness.see(replica.isWhole ? view : nil, changes: changes)
    }
}
