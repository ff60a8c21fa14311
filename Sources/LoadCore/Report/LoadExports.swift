import UserText

public struct LoadMetrics: Sendable {
    private var metrics = MetricsText()

    public var text: String { metrics.text }

    /// The metrics of a load that runs; `run` is its number among several, from 1.
    public init(_ progress: LoadProgress, run: Int) {
        let totals = progress.totals
        state(run: run, isRunning: true, elapsedSeconds: progress.elapsed / .seconds(1))
        counts(offered: totals.offered, applied: totals.applied, failed: totals.failed, totals.outcomes)
        inFlight(progress.inFlight)
        latencies(totals.whole, applied: totals.applied)
        summary("recent_request_duration_seconds", "As request_duration, of the last second.", totals.recent)
    }

    /// The metrics of a load that has ended; `run` is its number among several, from 1.
    public init(_ result: LoadResult, run: Int) {
        state(run: run, isRunning: false, elapsedSeconds: result.durationSeconds)
        counts(offered: result.offered, applied: result.applied, failed: result.failed, result.outcomes)
        inFlight(0)
        latencies(result.latencyUs, applied: result.applied)
    }

    private mutating func state(run: Int, isRunning: Bool, elapsedSeconds: Double) {
        gauge("run", "The number of the load among several, from 1.", UInt64(run))
        gauge("running", "1 while the load runs, 0 after its end.", isRunning ? 1 : 0)
        let name = family(
            "elapsed_seconds", .gauge, "The time since the measurement began; negative during the warm-up.")
        metrics.value(name, [], elapsedSeconds)
    }

    private mutating func counts(offered: Int, applied: Int, failed: Int, _ outcomes: [String: Int]) {
        let counters = [
            ("offered_requests_total", "Toggles that were due.", offered),
            ("applied_requests_total", "Toggles that were applied.", applied),
            ("failed_requests_total", "Toggles that were not applied.", failed),
        ]
        for (name, help, count) in counters {
            metrics.value(family(name, .counter, help), [], UInt64(count))
        }
        guard !outcomes.isEmpty else { return }
        let name = family("outcomes_total", .counter, "Toggles that have ended, by outcome and refusal.")
        for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) {
            metrics.value(name, [("outcome", outcome)], UInt64(count))
        }
    }

    private mutating func inFlight(_ count: Int) {
        gauge("in_flight_requests", "Toggles that have been sent and not answered.", UInt64(count))
    }

    /// Adds the latencies since the phase began, which several testers do not report.
    private mutating func latencies(_ figures: LatencyFigures, applied: Int) {
        guard figures.count > 0 || applied == 0 else { return }
        summary(
            "request_duration_seconds", "The time of applied toggles, from when they were due to the reply.",
            figures)
    }

    /// Adds a summary; several testers report quantiles without a sum.
    private mutating func summary(_ name: String, _ help: String, _ figures: LatencyFigures) {
        let name = family(name, .summary, help)
        let quantiles = [
            ("0.5", figures.p50), ("0.9", figures.p90), ("0.99", figures.p99), ("0.999", figures.p999),
            ("1.0", figures.max),
        ]
        for case (let quantile, let us?) in quantiles {
            metrics.value(name, [("quantile", quantile)], us / 1_000_000)
        }
        guard figures.count > 0 || figures.p99 == nil else { return }
        metrics.value("\(name)_sum", [], (figures.mean ?? 0) / 1_000_000 * Double(figures.count))
        metrics.value("\(name)_count", [], figures.count)
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: UInt64) {
        metrics.value(family(name, .gauge, help), [], value)
    }

    private mutating func family(_ name: String, _ kind: MetricsText.Kind, _ help: String) -> String {
        metrics.family("sensibus_load_\(name)", kind, help)
        return "sensibus_load_\(name)"
    }
}

/// The seconds of a report's loads as CSV (RFC 4180): a heading, then a row for each second.
public struct SecondsCSV: Sendable {
    private static let headings = [
        "load", "second", "offered", "applied", "failed", "p50_us", "p99_us", "p999_us", "max_us",
    ]

    private let report: LoadReport

    public init(of report: LoadReport) { self.report = report }

    /// The text; a latency is empty in a second without applied toggles.
    public var text: String {
        let rows = report.steps.enumerated().flatMap { index, step in
            step.result.perSecond.map { Self.row(of: $0, load: index + 1) }
        }
        return ([Self.headings] + rows).map { CSVText().record($0) + "\r\n" }.joined()
    }

    private static func row(of second: LoadSecond, load: Int) -> [String] {
        let counts = [load, second.second, second.offered, second.applied, second.failed]
        let latencies = [second.p50Us, second.p99Us, second.p999Us, second.maxUs]
        return counts.map(String.init) + latencies.map { $0.map { "\($0)" } ?? "" }
    }
}
