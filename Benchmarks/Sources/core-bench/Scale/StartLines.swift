import CBench
import CoreParts
import ProcessSupport

/// The time until `fleet up` returns with a running fleet.
enum StartLines {
    /// The lines of the table.
    static func measure(_ executables: String, in directory: BenchDirectory) throws -> [Line] {
        try [
            line(devices: 1_000, rounds: 5, atMost: 1, executables, in: directory),
            line(devices: 1_000_000, rounds: 1, atMost: 10, executables, in: directory),
        ]
    }

    private static func line(
        devices: Int, rounds: Int, atMost bound: Double, _ executables: String, in directory: BenchDirectory
    ) throws -> Line {
        let seconds = try (0..<rounds).map { round in
            let place = ["--run-dir", directory.file("up-\(devices)-\(round)")]
            let began = bench_now()
            let up = ["up", "--detach", "--no-gateway", "--devices", "\(devices)", "--scenario", "calm"]
            defer { end(executables, place) }
            try Child("\(executables)/fleet", up + place).wait()
            return Double(bench_now() - began) / 1e9
        }
        return .bounded(
            "`fleet up --detach --devices \(devices)` returns", Measuring.median(seconds), atMost: bound,
            digits: 2, unit: "s")
    }

    private static func end(_ executables: String, _ place: [String]) {
        do {
            try Child("\(executables)/fleet", ["down"] + place).wait()
        } catch {
            Progress.report("stopping a fleet failed: \(error)")
        }
    }
}
