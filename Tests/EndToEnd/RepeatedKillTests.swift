import FleetProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The environment variable `SENSIBUS_KILLS` is the number of times a full run kills the controller.
    @Suite("Repeated kills of the controller")
    struct RepeatedKillTests {
        private static let kills = ProcessInfo.processInfo.environment["SENSIBUS_KILLS"].flatMap { Int($0) }
        /// The maximum time from a kill to the first new toggle, for 95 of 100.
        private static let recoveredWithin = Duration.seconds(1)

        @Test(
            "a new toggle succeeds within 1 s of each kill of the controller", .enabled(if: kills == nil),
            .timeLimit(.minutes(2)))
        func small() async throws {
            let took = try await attempt(until: { Self.areInTime($0) }) {
                try await RepeatedKills(kills: 6).run()
            }
            #expect(Self.areInTime(took), "\(took)")
        }

        @Test(
            "a new toggle succeeds within 1 s of each kill at 2,000 toggles/s and 200,000 ended requests",
            .enabled(if: kills != nil))
        func full() async throws {
            let kills = try #require(Self.kills)
            let took = try await RepeatedKills(kills: kills, ended: 200_000, perSecond: 2_000).run()
            let quantiles = [0.5, 0.95, 1].map { TortureReport.quantile($0, of: took) }
            print("measured: first new toggle after \(took.count) kills, p50, p95, max: \(quantiles)")
            #expect(took.count == kills)
            #expect(Self.areInTime(took), "\(took)")
        }

        private static func areInTime(_ took: [Duration]) -> Bool {
            TortureReport.quantile(0.95, of: took).map { $0 <= recoveredWithin.slowed } ?? false
        }
    }
}

/// A fleet whose controller is killed repeatedly, half a second to two after each recovery.
private struct RepeatedKills {
    /// The number of kills of the controller.
    let kills: Int
    /// The number of requests that have ended before the first kill.
    var ended = 0
    /// The number of toggles that a load tester sends per second; 0 for none.
    var perSecond = 0

    private static let clock = ContinuousClock()
    /// Clients whose toggles are judged, each with its own device.
    private static let judged = 4
    /// The longest wait for a new toggle.
    private static let timeout = Duration.seconds(10)

    /// Returns the time until the first new toggle after each kill.
    func run() async throws -> [Duration] {
        let took = Box<[Duration]>()
        try await Lab.withFleet(devices: 200) { lab in
            if ended > 0 { try await load(lab, for: ended / perSecond) { _ in } }
            guard perSecond > 0 else { return took.value = try await kill(lab) }
            let longest = kills * 10 + 60
            try await load(lab, for: longest) { tester in
                took.value = try await kill(lab)
                Glibc.kill(tester, SIGTERM)
            }
        }
        return try #require(took.value)
    }

    /// Runs the load tester.
    ///
    /// - Parameter started: Called with its process ID.
    private func load(
        _ lab: Lab, for seconds: Int, _ started: @escaping @Sendable (Int32) async throws -> Void
    ) async throws {
        let arguments = ["load", "--rate", "\(perSecond)", "--warmup", "0s", "--duration", "\(seconds)s"]
        let load = try await lab.run("fleet", arguments, started: started)
        try #require(load.status == 0, "fleet load: \(load.talk)")
    }

    private func kill(_ lab: Lab) async throws -> [Duration] {
        let fleet = TortureFleet(lab, .small(seed: 1))
        return try await fleet.whileToggling(Self.judged) { try await kill(fleet, $0) }
    }

    private func kill(_ fleet: TortureFleet, _ history: History) async throws -> [Duration] {
        var generator = SeededGenerator(seed: 1)
        var took: [Duration] = []
        for _ in 0..<kills {
            await Pace.wait(.milliseconds(Int64.random(in: 500...2_000, using: &generator)))
            _ = await fleet.awaitedProcessID("controller")
            let killedAt = Self.clock.now
            try #require(try await fleet.kill("controller"), "no controller is running")
            let limit = Self.timeout.slowed
            _ = await Pace.look(for: limit) { history.firstSuccess(after: killedAt) != nil }
            took.append(history.firstSuccess(after: killedAt) ?? limit)
        }
        return took
    }
}
