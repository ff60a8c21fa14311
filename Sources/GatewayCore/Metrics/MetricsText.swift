public import FleetProtocol
import Stepping

/// Metrics as Prometheus reads them (text format 0.0.4).
public struct MetricsText: Sendable {
    /// What a family of metrics is.
    public enum Kind: String, Sendable {
        /// It only grows.
        case counter
        /// It goes up and down.
        case gauge
        /// Counts by how large they are.
        case histogram
    }

    /// What the text is, for the header of an answer.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text so far.
    public private(set) var text = ""

    /// A text of nothing.
    public init() {}

    /// Begins a family: its name, what it is, and what it tells.
    public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds a value to the family.
    public mutating func value(_ name: String, _ labels: [(String, String)], _ value: UInt64) {
        text += "\(name)\(Self.braced(labels)) \(value)\n"
    }

    /// Adds a value to the family.
    public mutating func value(_ name: String, _ labels: [(String, String)], _ value: Double) {
        text += "\(name)\(Self.braced(labels)) \(value)\n"
    }

    /// Adds a histogram to the family.
    public mutating func histogram(
        _ name: String, _ labels: [(String, String)], _ histogram: DurationHistogram
    ) {
        self.histogram(
            name, labels, bounds: DurationHistogram.bounds, counts: histogram.counts, sum: histogram.sum)
    }

    /// Adds a histogram to the family that another process has counted.
    public mutating func histogram(
        _ name: String, _ labels: [(String, String)], _ counts: DurationCounts
    ) {
        histogram(
            name, labels, bounds: DurationCounts.boundsUs.map { Double($0) / 1_000_000 },
            counts: counts.counts, sum: Double(counts.sumUs) / 1_000_000)
    }

    /// A line for each bucket has all that is in it and in those before it; the last has no bound.
    private mutating func histogram(
        _ name: String, _ labels: [(String, String)], bounds: [Double], counts: [UInt64], sum: Double
    ) {
        var total: UInt64 = 0
        for (place, count) in counts.enumerated() {
            total &+= count
            let bound = place < bounds.count ? "\(bounds[place])" : "+Inf"
            value("\(name)_bucket", labels + [("le", bound)], total)
        }
        value("\(name)_sum", labels, sum)
        value("\(name)_count", labels, total)
    }

    private static func braced(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

/// How long things took, counted in fixed buckets.
///
/// Prometheus adds up buckets of many processes, which needs the same bounds in all of them: from half a
/// millisecond, the fastest toggles over HTTP, to ten seconds.
public struct DurationHistogram: Equatable, Sendable {
    /// The buckets' upper bounds, seconds; what takes longer is in the last one, which has none.
    static let bounds = [
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// How many are in each bucket and in none before it; the last is that without a bound.
    private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// All of them together, seconds.
    private(set) var sum = 0.0

    /// A histogram of nothing.
    public init() {}

    /// How many there are.
    var count: UInt64 { counts.reduce(0, +) }

    /// Counts one.
    public mutating func note(_ duration: Duration) {
        let seconds = Double(duration.wholeMicroseconds) / 1_000_000
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }
}

/// What the system says of a process.
public struct ProcessUse: Equatable, Sendable {
    /// Processor time so far, seconds.
    let processorSeconds: Double
    /// Memory that it holds, bytes.
    let residentBytes: UInt64

    /// What a line of `/proc/PID/stat` says (proc(5)); nil where it is none.
    ///
    /// - Parameters:
    ///   - ticks: Of the clock that the system counts processor time in, each second.
    ///   - pageBytes: Bytes in a page.
    public init?(stat line: String, ticks: Int, pageBytes: Int) {
        // The second field is the program's name in brackets, in which anything may be.
        guard let end = line.lastIndex(of: ")"), ticks > 0 else { return nil }
        let fields = line[line.index(after: end)...].split(separator: " ")
        // The first of these is the third of the line: utime is the 14th, stime the 15th, rss the 24th.
        guard fields.count > 21, let user = UInt64(fields[11]), let system = UInt64(fields[12]),
            let pages = UInt64(fields[21])
        else { return nil }
        processorSeconds = Double(user + system) / Double(ticks)
        residentBytes = pages * UInt64(pageBytes)
    }
}

/// How the processes of a fleet are.
public enum ProcessMetrics {
    /// Tells how each is.
    ///
    /// - Parameter uses: What the system says of it; nil where it does not run.
    public static func write(
        _ processes: [(process: FleetProcess, use: ProcessUse?)], to text: inout MetricsText
    ) {
        text.family("sensibus_process_up", .gauge, "1 while a process of the fleet runs.")
        for (process, _) in processes {
            text.value(
                "sensibus_process_up", [("process", process.name)],
                UInt64(process.state == .running ? 1 : 0))
        }
        text.family("sensibus_process_restarts_total", .counter, "How often a process was started again.")
        for (process, _) in processes {
            text.value(
                "sensibus_process_restarts_total", [("process", process.name)], UInt64(process.restarts))
        }
        text.family("sensibus_process_cpu_seconds_total", .counter, "Processor time of a process's life.")
        for case (let process, let use?) in processes {
            text.value(
                "sensibus_process_cpu_seconds_total", [("process", process.name)], use.processorSeconds)
        }
        text.family("sensibus_process_resident_memory_bytes", .gauge, "Memory that a process holds.")
        for case (let process, let use?) in processes {
            text.value(
                "sensibus_process_resident_memory_bytes", [("process", process.name)], use.residentBytes)
        }
    }

    /// Tells how the controller is.
    public static func write(_ report: StatusReport, to text: inout MetricsText) {
        text.family("sensibus_controller_epoch", .gauge, "The controller's start number.")
        text.value("sensibus_controller_epoch", [], report.epoch.value)
        text.family("sensibus_controller_pending_requests", .gauge, "Requests that have not ended.")
        text.value("sensibus_controller_pending_requests", [], UInt64(report.pending))
        text.family("sensibus_controller_ended_per_second", .gauge, "Requests ended in the last full second.")
        text.value("sensibus_controller_ended_per_second", [], report.togglesPerSecond)
        text.family(
            "sensibus_controller_longest_turn_seconds", .gauge,
            "The longest time between two turns of the controller's loop in the last full second.")
        text.value("sensibus_controller_longest_turn_seconds", [], Double(report.loopLagUs) / 1_000_000)
    }

    /// Tells what the controller has counted.
    public static func write(_ counters: CounterReport.Controller, to text: inout MetricsText) {
        for (name, count, help) in [
            ("requests", counters.requests, "Requests that clients have sent, repeated ones too."),
            ("ended_requests", counters.ended, "Commands that have ended, however they did."),
            ("commands", counters.commands, "Commands that went to nodes, repeated ones too."),
            ("node_messages", counters.nodeMessages, "Messages that nodes have sent."),
            ("telemetry_messages", counters.telemetryMessages, "Messages that nodes have published."),
            (
                "node_refusals", counters.nodeRefusals,
                "Messages of nodes, and rows in them, that were not taken."
            ),
        ] {
            text.family("sensibus_controller_\(name)_total", .counter, help)
            text.value("sensibus_controller_\(name)_total", [], count)
        }
    }
}
