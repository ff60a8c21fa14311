import CBench
import CoreParts
import Foundation

/// The rate of changes from devices through the controller to an observer, without losses.
enum UpdateLines {
    private static let rates = [50_000, 200_000]
    private static let seconds = 5.0

    /// A scenario in which each device's hand remote is used twice a second.
    private static let scenario = """
        clock: {speed: 2}
        people: {hand-remotes-per-hour: 3600}

        """

    /// The lines of the table.
    static func measure(_ executables: String, in directory: BenchDirectory) throws -> [Line] {
        let file = directory.file("hands.yaml")
        try scenario.write(toFile: file, atomically: true, encoding: .utf8)
        return try rates.flatMap { rate in
            try ScaleFleet.run(executables, "updates-\(rate)", in: directory) { fleet in
                let client = try ScaleClient(to: fleet.runDirectory)
                defer { client.close() }
                let lines = try fleet.startObserver()
                _ = try lines.wait(for: "watching ", since: bench_now())
                let node = ["--scenario", file, "--durability", "none"]
                try fleet.startNode(devices: rate / 2, from: 0, with: node)
                _ = try fleet.waitForDevices(rate / 2, since: bench_now(), asking: client)
                return try measure(lines, [lines.observer, fleet.controller] + fleet.nodes, rate)
            }
        }
    }

    /// - Parameter processes: The observer, the controller and the node.
    private static func measure(_ lines: ObserverLines, _ processes: [Child], _ rate: Int) throws -> [Line] {
        let before = try processes.map { try $0.processorSeconds }
        let (count, isStale) = try lines.count(for: seconds, unless: "stale:")
        let spent = try zip(processes, before).map { try $0.processorSeconds - $1 }
        let perSecond = Double(count) / seconds
        let each = spent.map { Line.text($0 / Double(count) * 1e6, 2) }
        return [
            Line(
                what: "changes that an observer shows of \(rate) a second, none lost",
                measured: "\(Line.text(perSecond, 0)) /s\(isStale ? ", and some were lost" : "")",
                target: "all", isMet: perSecond >= 0.97 * Double(rate) && !isStale),
            Line(
                what: "the same, processor time a change of observer, controller and node",
                measured: "\(each.joined(separator: " + ")) µs"),
        ]
    }
}
