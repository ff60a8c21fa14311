import CBench
import CoreParts

/// Latency of toggles while a million other devices come online.
enum ArrivalLines {
    private static let few = 1_000
    private static let many = 1_000_000

    /// The lines of the table.
    static func measure(_ executables: String, in directory: BenchDirectory) throws -> [Line] {
        try ScaleFleet.run(executables, "arrival", in: directory) { fleet in
            let client = try ScaleClient(to: fleet.runDirectory)
            defer { client.close() }
            try fleet.startNode(devices: few, from: 0)
            _ = try fleet.waitForDevices(few, since: bench_now(), asking: client)
            let devices = try client.devices()
            let began = bench_now()
            try fleet.startNode(devices: many, from: few)
            let figures = try client.toggle(devices, untilOnline: few + many, since: began)
            let toggles = figures.tookMs.count
            return [
                .bounded(
                    "a toggle while \(many) devices come online, p99 of \(toggles), 1,000 a second",
                    figures.percentileMs(99), atMost: 20, digits: 1, unit: "ms"),
                .bounded(
                    "the same, longest time the controller's loop was away", figures.longestTurnMs,
                    atMost: 50, digits: 1, unit: "ms"),
            ]
        }
    }
}
