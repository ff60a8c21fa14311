import CBench
import CoreParts
import FleetProtocol
import Foundation

/// A day of the scenario `office-day` at 600 times the speed, with 10,000 devices, in real processes.
enum DayLines {
    private static let devices = 10_000
    /// A simulated day, and the time in which its node starts.
    private static let seconds = 24 * 3_600 / 600 + 6

    /// The lines of the table.
    static func measure(_ executables: String, in directory: BenchDirectory) throws -> [Line] {
        try ScaleFleet.run(executables, "day", in: directory) { fleet in
            let client = try ScaleClient(to: fleet.runDirectory)
            defer { client.close() }
            let lines = try fleet.startObserver()
            _ = try lines.wait(for: "watching ", since: bench_now())
            let node = try fleet.startNode(devices: devices, from: 0, with: ["--scenario", "office-day"])
            let processes = [lines.observer, fleet.controller, node]
            var (changes, hasLost, longestMs) = (0, false, 0.0)
            for _ in 0..<seconds {
                let second = try lines.count(for: 1, unless: " lost: ")
                changes += second.lines
                hasLost = hasLost || second.hasText
                longestMs = max(longestMs, Double(try client.status().loopLagUs) / 1_000)
            }
            let shares = try processes.map {
                Line.text(try $0.processorSeconds / Double(seconds) * 100, 1)
            }
            let status = try client.status()
            return [
                Line(
                    what: "`office-day` at 600 times the speed, \(devices) devices, 24 simulated hours",
                    measured: "\(changes) changes, \(status.online + status.disconnected) devices at its end",
                    target: "no node lost",
                    isMet: !hasLost && Int(status.online + status.disconnected) == devices),
                .bounded(
                    "the same, longest time the controller's loop was away", longestMs, atMost: 50,
                    digits: 1, unit: "ms"),
                Line(
                    what: "the same, share of a core of observer, controller and node",
                    measured: shares.joined(separator: " + ") + " %"),
            ]
        }
    }
}
