import Foundation
import Testing

extension EndToEnd.HostTests {
    /// Three cells, two gateways, four nodes and two testers, each process on a host of its own.
    ///
    /// The environment variable `SENSIBUS_CLUSTER` selects the small or the full run, and `TORTURE_SEED` the
    /// seed of all randomness. Both need the processors for themselves, because they measure 13 hosts.
    @Suite("Several cells over several hosts", .timeLimit(.minutes(60)))
    struct ClusterTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let isFull = environment["SENSIBUS_CLUSTER"] == "full"
        private static let isSmall = environment["SENSIBUS_CLUSTER"] == "small"
        private static let seed = environment["TORTURE_SEED"].flatMap { UInt64($0) } ?? 1
        private static let lossesAtLeast = 30
        private static let acknowledgedAtLeast = 100_000

        @Test("several cells break no promise while hosts are lost, in a minute", .enabled(if: isSmall))
        func small() async throws {
            let report = try await ClusterRun.run(.small(seed: Self.seed))
            print(report)
            #expect(report.violations.map(\.description) == [])
        }

        @Test("several cells break no promise while thirty hosts are lost", .enabled(if: isFull))
        func full() async throws {
            let report = try await ClusterRun.run(.full(seed: Self.seed))
            print(report)
            #expect(report.violations.map(\.description) == [])
            #expect(report.figures.lostHostCount >= Self.lossesAtLeast)
            #expect(report.acknowledged >= Self.acknowledgedAtLeast)
        }

        @Test("a cell with durability none is found to break promises, and no other", .enabled(if: isFull))
        func control() async throws {
            let report = try await ClusterRun.run(.control(seed: Self.seed))
            print(report)
            #expect(report.violations.contains { $0.promise == .oneEnd })
            #expect(!report.violations.contains { $0.text.hasPrefix("c2: ") || $0.text.hasPrefix("c3: ") })
        }
    }
}
