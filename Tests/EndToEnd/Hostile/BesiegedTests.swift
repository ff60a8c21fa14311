import Circumstances
import FleetProtocol
import Foundation
import Glibc
import Runtime
import Testing

extension EndToEnd {
    /// Where the environment names a length of sieges, times are judged, and memory after each siege instead
    /// of after the last.
    @Suite("A fleet among greedy peers")
    struct BesiegedTests {
        /// How long each siege lasts.
        private static let siege = Duration.seconds(Lab.siegeSeconds ?? 0.5)
        /// The most memory that a process may have while it is besieged.
        private static let mostMiB = 512
        /// How honest toggles do under siege, for 99 in 100.
        private static let p99AtMost = Duration.milliseconds(250)

        @Test(
            "keeps its processes and its memory whatever one peer sends or does not read",
            .timeLimit(.minutes(20)))
        func greedy() async throws {
            try await Lab.withFleet(devices: 400) { lab in
                let before = try await lab.status()
                let besieged = try await Besieged(lab)
                for greed in Greed.allCases {
                    let report = try await besieged.siege(greed, Self.siege)
                    print(report)
                    #expect(report.takenBytes > 0)
                    #expect(report.honest.surprises == [])
                    #expect(report.honest.applied == report.honest.asked)
                    #expect(Sanitizer.isPresent || report.mostMiB < Self.mostMiB, "\(greed)")
                    guard Lab.siegeSeconds != nil else { continue }
                    #expect(report.honest.p99 <= Self.p99AtMost, "\(greed)")
                    try await besieged.expectMemoryBack(after: greed.rawValue)
                }
                try await besieged.expectMemoryBack(after: "all of them")
                let after = try await lab.status()
                #expect(after.epoch == before.epoch)
                #expect(after.processes.map(\.pid) == before.processes.map(\.pid))
                #expect(after.online == 400)
            }
        }
    }
}

/// A fleet whose controller and supervisor are besieged.
struct Besieged {
    /// What one siege did.
    struct Report: CustomStringConvertible {
        let greed: Greed
        var takenBytes = 0
        var mostMiB = 0
        var honest = HonestClient.Account()

        var description: String {
            "\(greed): \(takenBytes >> 20) MiB taken, resident memory \(mostMiB) MiB at most; "
                + "\(honest.applied) of \(honest.asked) honest toggles applied, p99 \(honest.p99)"
        }
    }

    private let directory: String
    private let loot: AttackSource.Loot
    private let processes: [Int32]
    /// The memory of each process before the first siege.
    private let startMiB: [Int]

    init(_ lab: Lab) async throws {
        directory = "\(lab.directory)/.sensibus"
        loot = try lab.loot(try await lab.devices())
        let supervisor = try String(contentsOfFile: lab.file("supervisor.lock"), encoding: .utf8)
        processes = [
            try #require(Int32(supervisor.trimmingCharacters(in: .whitespacesAndNewlines))),
            try await lab.processID("controller"),
        ]
        startMiB = try processes.map { try Lab.residentMiB(of: $0) }
    }

    /// Has greedy peers besiege the fleet for some time while an honest client uses it.
    func siege(_ greed: Greed, _ time: Duration) async throws -> Report {
        var report = Report(greed: greed)
        let shared = HonestClient.Shared()
        async let honest = Lab.onThread("honest client") { [directory, loot] in
            try HonestClient.run("\(directory)/clients.sock", loot: loot, shared: shared)
        }
        async let taken = attack(greed) { shared.isOver.value == true }
        _ = try await Pace.look(for: time) {
            report.mostMiB = max(report.mostMiB, try residentMiB().max() ?? 0)
            return false
        }
        shared.isOver.value = true
        report.takenBytes = try await taken
        report.honest = try await honest
        return report
    }

    /// Waits for at most a minute until each process has a fifth more memory than before, or 16 MiB.
    func expectMemoryBack(after sieges: String) async throws {
        if Sanitizer.isPresent { return print(Sanitizer.memoryIsItsOwn) }
        let atMost = startMiB.map { max($0 * 6 / 5, $0 + 16) }
        let took = try await Pace.look(for: .seconds(60).slowed) {
            zip(try residentMiB(), atMost).allSatisfy { $0 <= $1 }
        }
        let endMiB = try residentMiB()
        #expect(took != nil, "after \(sieges): \(endMiB) MiB are kept of \(startMiB)")
        print("memory after \(sieges): \(endMiB) MiB, \(startMiB) at first, in \(took ?? .zero)")
    }

    private func residentMiB() throws -> [Int] {
        try processes.map { try Lab.residentMiB(of: $0) }
    }

    /// Attacks each of the sockets, on a thread of its own; the bytes that were taken.
    func attack(_ greed: Greed, until isOver: @escaping @Sendable () -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for socket in greed.sockets {
                group.addTask { [directory, loot] in
                    try await Lab.onThread("greedy at \(socket)") {
                        ThreadPriority.giveWay()
                        return try greed.attack(socket, in: directory, token: loot.token, until: isOver)
                    }
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
