import DeviceLogs
import FleetClient
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

extension EndToEnd {
    /// The replicas of clients and the output of observers, compared with the devices' memory.
    @Suite("Observers that join", .timeLimit(.minutes(3)))
    struct JoinTests {
        private static let observers = 200
        /// The number of joins for each observer that is a process; the others are clients with a replica.
        private static let joinsPerProcess = 25
        private static let scenario = """
            about: Every device is switched by hand once a second, and some lose their Wi-Fi.
            people: {hand-remotes-per-hour: 3600}
            network: {drops-per-hour: 60, mean-time-without: 500ms}
            """

        @Test("observers that join a changing fleet at 200 random moments end with each device's real state")
        func truth() async throws {
            try await Lab.withFleet(devices: 60, scenario: Self.scenario, ["--nodes", "2"]) { lab in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let witnesses = try await join(&group, lab)
                    try await lab.succeed("scenario", "quiet")
                    let took = try await Pace.look(for: .seconds(20).slowed) {
                        let truth = try Self.truth(in: lab)
                        return witnesses.allSatisfy { $0.shows(truth) }
                    }
                    let truth = try Self.truth(in: lab)
                    #expect(truth.count == 60)
                    #expect(took != nil, "\(witnesses.count { !$0.shows(truth) }) differ")
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
        ) async throws -> [JoinWitness] {
            let directory = RunDirectory(path: lab.runDirectory)
            let endpoints = try FleetConnection(directory).clientEndpoints
            let session = try StoredSession.read(from: directory.sessionFile)
            var random = SeededGenerator(seed: 7)
            var witnesses: [JoinWitness] = []
            for number in 0..<Self.observers {
                let witness = JoinWitness()
                witnesses.append(witness)
                if number % Self.joinsPerProcess == Self.joinsPerProcess - 1 {
                    group.addTask { try await witness.observe(lab) }
                } else {
                    let client = JoiningClient(witness, session, seed: UInt64(number))
                    group.addTask { try await client.run(at: endpoints) }
                }
                guard let first = witnesses.first else { continue }
                let changes = first.changes + Int.random(in: 0...6, using: &random)
                let seen = await Pace.look(for: .seconds(10).slowed) { first.changes >= changes }
                try #require(seen != nil, "the first observer receives no more changes")
            }
            let all = await Pace.look(for: .seconds(10).slowed) {
                witnesses.allSatisfy { $0.isWhole && $0.changes > 0 }
            }
            try #require(all != nil, "\(witnesses.count { !$0.isWhole }) observers have not joined")
            return witnesses
        }

        /// The states in the devices' memories, over all nodes.
        private static func truth(in lab: Lab) throws -> [DeviceID: DeviceState] {
            var log = DeviceLog()
            for node in ["node-1", "node-2"] { try log.read(lab.file("memory/\(node).entries")) }
            return log.states
        }
    }
}
