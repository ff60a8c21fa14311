import Foundation
import Testing

extension EndToEnd.HostTests {
    /// A fleet over four hosts: the controller, two nodes, and the clients.
    ///
    /// The environment variables are those of the torture on one host.
    @Suite("Torture of a fleet over several hosts")
    struct HostTortureTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let acknowledged = environment["SENSIBUS_TORTURE"].flatMap { Int($0) }
        private static let seed = environment["TORTURE_SEED"].flatMap { UInt64($0) } ?? 1
        private static let isSmall = !EndToEnd.HostTests.isFull && acknowledged == nil

        @Test(
            "a fleet over hosts breaks no promise in a minute of faults", .enabled(if: isSmall),
            .timeLimit(.minutes(5)))
        func small() async throws {
            try await Self.expectPromises(.smallOverHosts(seed: Self.seed))
        }

        @Test(
            "a fleet over hosts breaks no promise under any fault of the network",
            .enabled(if: EndToEnd.HostTests.isFull), .timeLimit(.minutes(30)), arguments: [true, false])
        func network(isRelayed: Bool) async throws {
            var plan = TorturePlan.network(3, seed: Self.seed)
            if !isRelayed { for fault in RelayFault.allCases { plan.faults[.network(.relay(fault))] = nil } }
            try await Self.expectPromises(plan, isRelayed: isRelayed)
        }

        @Test("a fleet over hosts breaks no promise in a full run", .enabled(if: acknowledged != nil))
        func full() async throws {
            let acknowledged = try #require(Self.acknowledged)
            try await Self.expectPromises(.fullOverHosts(seed: Self.seed, acknowledged: acknowledged))
        }

        @Test(
            "a fleet over hosts with durability none is found to break promises",
            .enabled(if: EndToEnd.HostTests.isFull), .timeLimit(.minutes(5)))
        func control() async throws {
            var plan = TorturePlan.small(seed: Self.seed)
            plan.faults = [.controllerKill: 3]
            plan.durability = "none"
            let report = try await TortureRun.runOverHosts(plan)
            #expect(report.violations.contains { $0.promise == .oneEnd }, "\(report)")
        }

        private static func expectPromises(_ plan: TorturePlan, isRelayed: Bool = true) async throws {
            let report = try await TortureRun.runOverHosts(plan, isRelayed: isRelayed)
            print(report)
            #expect(report.violations.map(\.description) == [])
            #expect(report.count(.repetition) > 0)
        }
    }
}
