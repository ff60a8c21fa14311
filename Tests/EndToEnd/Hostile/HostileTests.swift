import Bus
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

extension EndToEnd {
    /// The environment variable `SENSIBUS_HOSTILE` is the number of messages for each socket; times are
    /// judged only if it is set.
    @Suite("A controller among hostile peers", .timeLimit(.minutes(10)))
    struct HostileTests {
        private static let wanted =
            ProcessInfo.processInfo.environment["SENSIBUS_HOSTILE"].flatMap { Int($0) }
        private static let messages = wanted ?? 2_000
        /// The maximum ratio of the slowest honest toggles' latency during attacks to that without them.
        private static let slowdownAtMost = 2.0
        /// The allowed growth of the controller's memory: queues of 100,000 short messages, and the password
        /// hasher's memory.
        private static let growthMiB = 256

        @Test("hostile messages at four sockets are answered or counted, and honest toggles are applied once")
        func siege() async throws {
            try await Lab.withFleet { lab in
                let process = try await lab.processID("controller")
                let epoch = try await lab.status().epoch
                let before = try await lab.devices()
                let memoryBefore = try Lab.residentMiB(of: process)
                let plan = Siege.Plan(
                    seed: 20, messages: Self.messages, rounds: max(2, Self.messages / 5_000))
                let report = try await Self.siege(plan, lab, devices: before)
                let memoryAfter = try Lab.residentMiB(of: process)
                try await lab.eventually("the log has counted every refused message", within: .seconds(5)) {
                    let counted = try Self.refused(in: lab)
                    return report.refused.allSatisfy { counted[$0.key, default: 0] >= $0.value }
                }
                print(report)
                print("the log: \(try Self.refused(in: lab)), at least \(report.refused)")
                print("resident memory: \(memoryBefore) MiB before, \(memoryAfter) MiB after")
                #expect(report.honest.surprises == [])
                #expect(report.honest.applied == report.honest.asked)
                if Self.wanted != nil { #expect(report.slowdown <= Self.slowdownAtMost) }
                #expect(report.answered["clients"] == report.owed["clients"])
                #expect(report.answered["devices", default: 0] >= report.owed["devices", default: 0])
                #expect(try Self.refused(in: lab)["subscription", default: 0] > 0)
                if Sanitizer.isPresent {
                    print(Sanitizer.memoryIsItsOwn)
                } else {
                    #expect(memoryAfter - memoryBefore < Self.growthMiB)
                }
                let status = try await lab.status()
                #expect(try await lab.processID("controller") == process)
                #expect(status.epoch == epoch)
                #expect([status.devices, status.online] == [20, 20])
                let changes = try await lab.devices().map(\.version).reduce(0, +)
                #expect(changes - before.map(\.version).reduce(0, +) == report.honest.applied)
            }
        }

        /// Runs a siege, with an honest client as long as it lasts.
        private static func siege(
            _ plan: Siege.Plan, _ lab: Lab, devices: [DeviceLine]
        ) async throws -> SiegeReport {
            let loot = try lab.loot(devices)
            let (siege, account) = try await HonestClient.whileToggling(at: try lab.place, loot) { shared in
                try await Lab.onThread("siege") {
                    // On the same thread as its context: the controller is judged, not the attacker.
                    ThreadPriority.giveWay()
                    let context = try Context()
                    defer { context.terminate() }
                    let siege = try Siege(
                        plan, directory: lab.runDirectory, loot: loot, honest: shared, context: context)
                    try siege.awaitSubscription { try refused(in: lab)["telemetry"] != nil }
                    return try siege.run()
                }
            }
            var report = siege
            report.honest = account
            return report
        }

        /// The counts in the controller's log so far, by label.
        private static func refused(in lab: Lab) throws -> [String: Int] {
            let log = try lab.text("logs/controller.log")
            var counts: [String: Int] = [:]
            for line in log.split(separator: "\n") where line.contains("messages were refused") {
                for match in line.matches(of: /([a-z]+)=([0-9]+)/) {
                    counts[String(match.1), default: 0] += Int(match.2) ?? 0
                }
            }
            return counts
        }
    }
}
