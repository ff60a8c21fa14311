import Foundation
import Testing

extension EndToEnd {
    /// The environment variable `SENSIBUS_TORTURE` is the minimum number of toggles that a full run
    /// acknowledges, and `TORTURE_SEED` the seed of all randomness.
    ///
    /// `SENSIBUS_GATEWAY_KILLS` is the number of kills of the gateway while users toggle on its page.
    @Suite("Torture of a fleet")
    struct TortureTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let acknowledged = environment["SENSIBUS_TORTURE"].flatMap { Int($0) }
        private static let seed = environment["TORTURE_SEED"].flatMap { UInt64($0) } ?? 1
        /// The maximum time from a kill of the controller to the first new toggle, for 95 of 100.
        private static let recoveredWithin = Duration.seconds(1)

        @Test(
            "a fleet under faults breaks no promise in half a minute", .enabled(if: acknowledged == nil),
            .timeLimit(.minutes(5)))
        func small() async throws {
            let report = try await TortureRun.run(.small(seed: Self.seed))
            print(report)
            #expect(report.violations.map(\.description) == [])
            #expect(report.count(.repetition) > 0)
            #expect(report.page.acknowledged > 0)
        }

        @Test("a fleet under faults breaks no promise in a full run", .enabled(if: acknowledged != nil))
        func full() async throws {
            let plan = TorturePlan.full(seed: Self.seed, acknowledged: try #require(Self.acknowledged))
            let report = try await TortureRun.run(plan)
            print(report)
            #expect(report.violations.map(\.description) == [])
            let recovery = try #require(TortureReport.quantile(0.95, of: report.recoveries.judged))
            #expect(recovery <= Self.recoveredWithin)
        }

        @Test(
            "page toggles apply to the version shown, and are answered truthfully, across gateway kills",
            .timeLimit(.minutes(30)))
        func gatewayKills() async throws {
            let kills = Self.environment["SENSIBUS_GATEWAY_KILLS"].flatMap { Int($0) } ?? 3
            let report = try await TortureRun.run(.gatewayKills(kills, seed: Self.seed))
            print(report)
            #expect(report.violations.map(\.description) == [])
            #expect(report.page.acknowledged > 0)
            #expect(report.page.conflicts > 0)
            #expect(report.page.losses > 0)
        }

        @Test("a fleet with durability none is found to break promises", .timeLimit(.minutes(5)))
        func control() async throws {
            var plan = TorturePlan.small(seed: Self.seed)
            plan.faults = [.controllerKill: 3]
            plan.durability = "none"
            let report = try await TortureRun.run(plan)
            #expect(report.violations.contains { $0.promise == .oneEnd }, "\(report)")
        }
    }
}
