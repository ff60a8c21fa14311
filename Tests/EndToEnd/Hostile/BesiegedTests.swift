import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

extension EndToEnd {
    /// If the environment sets a length of sieges, times are judged, and memory is judged after each siege
    /// instead of after the last.
    @Suite("A fleet among greedy peers", .timeLimit(.minutes(20)))
    struct BesiegedTests {
        /// The length of each siege.
        private static let siege = Duration.seconds(Lab.siegeSeconds ?? 0.5)
        /// The maximum memory of a process during a siege.
        private static let mostMiB = 512
        /// The time within which 99 of 100 honest toggles must be answered under siege.
        private static let p99AtMost = Duration.milliseconds(250)

        @Test("greedy peers that send much or read nothing end no process and exceed no memory limit")
        func greedy() async throws {
            try await Lab.withFleet(devices: 400) { lab in
                let before = try await lab.status()
                var besieged = try await Besieged(lab, at: lab.place, calm: Self.siege)
                for greed in Greed.allCases {
                    let report = try await besieged.siege(greed, Self.siege)
                    print(report)
                    #expect(report.acceptedBytes > 0)
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
    /// The results of one siege.
    struct Report: CustomStringConvertible {
        let greed: Greed
        var acceptedBytes = 0
        var mostMiB = 0
        var honest = HonestClient.Account()

        var description: String {
            "\(greed): \(acceptedBytes >> 20) MiB taken, resident memory \(mostMiB) MiB at most; "
                + "\(honest.applied) of \(honest.asked) honest toggles applied, p99 \(honest.p99)"
        }
    }

    /// Memory of one stored outcome, which the controller retains: 370 bytes were measured over 60,000
    /// toggles.
    private static let outcomeBytes = 512

    let place: FleetPlace
    private let loot: AttackSource.Loot
    private let supervisor: Int32
    private let controller: Int32
    /// Memory of the supervisor and of the controller before the first siege, after an honest client's use.
    private var startKiB: [Int] = []
    /// Toggles that were applied since then.
    private var toggles = 0

    /// An honest client uses the fleet for the given time, so that both processes have allocated what normal
    /// use needs.
    init(_ lab: Lab, at place: FleetPlace, calm: Duration) async throws {
        self.place = place
        loot = try lab.loot(try await lab.devices())
        supervisor = try lab.supervisorID()
        controller = try await lab.processID("controller")
        _ = try await withHonestClient { _ in _ = await Pace.look(for: calm) { false } }
        startKiB = try residentKiB()
    }

    /// Besieges the fleet with greedy peers for some time while an honest client uses it.
    mutating func siege(_ greed: Greed, _ time: Duration) async throws -> Report {
        var report = Report(greed: greed)
        var mostKiB = 0
        (report.acceptedBytes, report.honest) = try await withHonestClient { [self] isOver in
            async let accepted = attack(greed) { isOver.value == true }
            _ = try await Pace.look(for: time) {
                mostKiB = max(mostKiB, try residentKiB().max() ?? 0)
                return false
            }
            isOver.value = true
            return try await accepted
        }
        report.mostMiB = mostKiB / 1_024
        toggles += report.honest.applied
        return report
    }

    /// Waits for at most a minute until each process is within a fifth of its memory before the sieges.
    ///
    /// The outcomes of the honest client's toggles since then are extra.
    ///
    /// - Returns: The time it took; nil if one is not.
    func timeUntilMemoryIsBack() async throws -> Duration? {
        let outcomesKiB = [0, toggles * Self.outcomeBytes / 1_024]
        let atMost = zip(startKiB, outcomesKiB).map { $0 * 6 / 5 + $1 }
        let took = try await Pace.look(for: .seconds(60).slowed) {
            zip(try residentKiB(), atMost).allSatisfy { $0 <= $1 }
        }
        print("memory: \(try residentKiB()) KiB, \(startKiB) at first, at most \(atMost)")
        return took
    }

    /// Fails the test unless memory is back in time.
    func expectMemoryBack(after sieges: String) async throws {
        if Sanitizer.isPresent { return print(Sanitizer.memoryIsItsOwn) }
        #expect(try await timeUntilMemoryIsBack() != nil, "after \(sieges)")
    }

    private func residentKiB() throws -> [Int] {
        try [supervisor, controller].map { try Lab.residentKiB(of: $0) }
    }

    /// Runs `work` while an honest client toggles; the client stops when `work` sets `isOver` or returns.
    func withHonestClient<Value: Sendable>(
        _ work: (_ isOver: Box<Bool>) async throws -> Value
    ) async throws -> (Value, HonestClient.Account) {
        try await HonestClient.whileToggling(at: place, loot) { try await work($0.isOver) }
    }

    /// Attacks each of the sockets on its own thread; returns the number of bytes accepted.
    func attack(_ greed: Greed, until isOver: @escaping @Sendable () -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for socket in greed.sockets(of: place) {
                group.addTask { [place, loot] in
                    try await Lab.onThread("greedy at \(socket)") {
                        ThreadPriority.giveWay()
                        return try greed.attack(socket, of: place, token: loot.token, until: isOver)
                    }
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
