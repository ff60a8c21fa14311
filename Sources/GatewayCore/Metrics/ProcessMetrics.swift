public import FleetProtocol
public import UserText

/// A histogram of durations, with fixed buckets. Prometheus adds up buckets of many processes, which needs
/// the same bounds in all of them: from half a millisecond, the fastest toggles over HTTP, to ten seconds.
struct DurationHistogram: Equatable, Sendable {
    /// The buckets' upper bounds in seconds; one more bucket has the longer durations.
    static let bounds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// The number of durations in each bucket, not cumulative; the last bucket has no bound.
    private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    private(set) var sum = 0.0

    mutating func record(_ duration: Duration) {
        let seconds = Double(duration.wholeMicroseconds) / 1_000_000
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }
}

extension MetricsText {
    mutating func histogram(_ name: String, _ labels: [(String, String)], _ histogram: DurationHistogram) {
        self.histogram(
            name, labels, bounds: DurationHistogram.bounds, counts: histogram.counts, sum: histogram.sum)
    }

    /// Adds a histogram that another process has counted to the family.
    mutating func histogram(_ name: String, _ labels: [(String, String)], _ counts: DurationCounts) {
        histogram(
            name, labels, bounds: DurationCounts.boundsUs.map { Double($0) / 1_000_000 },
            counts: counts.counts, sum: Double(counts.sumUs) / 1_000_000)
    }
}

public struct ProcessUse: Equatable, Sendable {
    /// The processor time since the process began, in seconds.
    let processorSeconds: Double
    let residentBytes: UInt64

    /// Parses a line of `/proc/PID/stat` (proc(5)), whose units are clock ticks and pages; nil for any other
    /// text.
    public init?(stat line: String, ticks: Int, pageBytes: Int) {
        // The second field is the program's name in brackets, which may contain spaces and brackets.
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

public enum ProcessMetrics {
    /// Writes the state, restarts and resource use of each process; the use is nil for one that does not run.
    public static func write(
        _ processes: [(process: FleetProcess, use: ProcessUse?)], to text: inout MetricsText
    ) {
        let labelled = processes.map { ([("process", $0.process.name)], $0) }
        func family(
            _ name: String, _ kind: MetricsText.Kind, _ help: String,
            _ value: ((process: FleetProcess, use: ProcessUse?)) -> (some Numeric)?
        ) { text.family("sensibus_process_\(name)", kind, help, of: labelled, value) }
        family("up", .gauge, "1 while a process of the fleet runs.") { $0.process.state == .running ? 1 : 0 }
        family("restarts_total", .counter, "Restarts of a process.") { $0.process.restarts }
        family("cpu_seconds_total", .counter, "CPU time of a process.") { $0.use?.processorSeconds }
        family("resident_memory_bytes", .gauge, "Resident memory of a process.") { $0.use?.residentBytes }
    }
}

public struct ControllerMetrics: Sendable {
    public let cell: CellName?
    public var status: StatusReport?
    public var counters: CounterReport.Controller?

    public init(of cell: CellName?) { self.cell = cell }

    public static func write(_ controllers: [ControllerMetrics], to text: inout MetricsText) {
        let statuses = controllers.compactMap { one in one.status.map { (labels(of: one.cell), $0) } }
        let counters = controllers.compactMap { one in one.counters.map { (labels(of: one.cell), $0) } }
        if !statuses.isEmpty { write(statuses, to: &text) }
        guard !counters.isEmpty else { return }
        for (name, count, help) in counted {
            text.family("sensibus_controller_\(name)_total", .counter, help, of: counters) {
                $0[keyPath: count]
            }
        }
    }

    private static func write(_ statuses: [([(String, String)], StatusReport)], to text: inout MetricsText) {
        func family(_ name: String, _ help: String, _ value: (StatusReport) -> some Numeric) {
            text.family("sensibus_controller_\(name)", .gauge, help, of: statuses, value)
        }
        family("epoch", "The controller's start number.") { $0.epoch.value }
        family("pending_requests", "Requests that have not ended.") { $0.pending }
        family("ended_per_second", "Requests ended in the last full second.") { $0.togglesPerSecond }
        family(
            "longest_turn_seconds",
            "The longest time between two turns of the controller's loop in the last full second."
        ) { Double($0.loopLagUs) / 1_000_000 }
    }

    private static var counted: [(String, KeyPath<CounterReport.Controller, UInt64>, String)] {
        [
            ("requests", \.requests, "Requests that clients have sent, with repeated ones."),
            ("ended_requests", \.ended, "Requests that have ended, with any outcome."),
            ("commands", \.commands, "Commands that were sent to nodes, with repeated ones."),
            ("node_messages", \.nodeMessages, "Messages that nodes have sent."),
            ("telemetry_messages", \.telemetryMessages, "Messages that nodes have published."),
            (
                "node_refusals", \.nodeRefusals,
                "Messages of nodes, and rows in them, that were rejected."
            ),
        ]
    }

    fileprivate static func labels(of cell: CellName?) -> [(String, String)] {
        cell.map { [("cell", $0.text)] } ?? []
    }
}

extension CellAccount {
    /// The labels of the account's series: its name and, if there are cells, its cell.
    var labels: [(String, String)] { ControllerMetrics.labels(of: cell) + [("account", account.name)] }
}
