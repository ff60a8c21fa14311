import UserText

/// The figures of a load as metrics: OpenMetrics text 1.0.0, which parsers of Prometheus' text format 0.0.4
/// read too.
public struct LoadMetrics: Equatable, Sendable {
    /// The media type of the text, for the header `Content-Type`.
    public static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The text, which ends with `# EOF`.
    public private(set) var text = ""

    /// The metrics of a load that runs.
    ///
    /// - Parameter run: The number of the load among several, from 1.
    public init(_ progress: LoadProgress, run: Int) {
        let totals = progress.totals
        state(run: run, isRunning: true, elapsedSeconds: progress.elapsed / .seconds(1))
        counts(offered: totals.offered, applied: totals.applied, failed: totals.failed, totals.outcomes)
        gauge("in_flight_requests", "Toggles that have been sent and not answered.", "\(progress.inFlight)")
        latencies(totals.whole, applied: totals.applied)
        summary("recent_request_duration_seconds", "As request_duration, of the last second.", totals.recent)
        text += "# EOF\n"
    }

    /// The metrics of a load that has ended.
    ///
    /// - Parameter run: The number of the load among several, from 1.
    public init(_ result: LoadResult, run: Int) {
        state(run: run, isRunning: false, elapsedSeconds: result.durationSeconds)
        counts(
            offered: result.offered, applied: result.applied, failed: result.failed, result.outcomes)
        gauge("in_flight_requests", "Toggles that have been sent and not answered.", "0")
        latencies(result.latencyUs, applied: result.applied)
        text += "# EOF\n"
    }

    private mutating func state(run: Int, isRunning: Bool, elapsedSeconds: Double) {
        gauge("run", "The number of the load among several, from 1.", "\(run)")
        gauge("running", "1 while the load runs, 0 after its end.", isRunning ? "1" : "0")
        gauge(
            "elapsed_seconds", "The time since the measurement began; negative during the warm-up.",
            "\(elapsedSeconds)")
    }

    private mutating func counts(offered: Int, applied: Int, failed: Int, _ outcomes: [String: Int]) {
        let counters = [
            ("offered_requests", "Toggles that were due.", offered),
            ("applied_requests", "Toggles that were applied.", applied),
            ("failed_requests", "Toggles that were not applied.", failed),
        ]
        for (name, help, count) in counters {
            family(name, "counter", help)
            text += "sensibus_load_\(name)_total \(count)\n"
        }
        guard !outcomes.isEmpty else { return }
        family("outcomes", "counter", "Toggles that have ended, by outcome and refusal.")
        for (name, count) in outcomes.sorted(by: { $0.key < $1.key }) {
            text += "sensibus_load_outcomes_total{outcome=\"\(Self.label(name))\"} \(count)\n"
        }
    }

    /// Returns the value of a label, with escapes: a gateway's answers can have any word.
    private static func label(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// Adds the latencies since the phase began, which several testers do not report.
    private mutating func latencies(_ figures: LatencyFigures, applied: Int) {
        guard figures.count > 0 || applied == 0 else { return }
        let name = "request_duration_seconds"
        summary(name, "The time of applied toggles, from when they were due to the reply.", figures)
        text += "sensibus_load_\(name)_sum \((figures.mean ?? 0) / 1_000_000 * Double(figures.count))\n"
        text += "sensibus_load_\(name)_count \(figures.count)\n"
    }

    /// Begins a summary with its quantiles; none if nothing was measured.
    private mutating func summary(_ name: String, _ help: String, _ figures: LatencyFigures) {
        family(name, "summary", help)
        let quantiles = [
            ("0.5", figures.p50), ("0.9", figures.p90), ("0.99", figures.p99), ("0.999", figures.p999),
            ("1.0", figures.max),
        ]
        for case (let quantile, let us?) in quantiles {
            text += "sensibus_load_\(name){quantile=\"\(quantile)\"} \(us / 1_000_000)\n"
        }
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: String) {
        family(name, "gauge", help)
        text += "sensibus_load_\(name) \(value)\n"
    }

    /// Begins a family; the unit is that of a name that ends in it.
    private mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# TYPE sensibus_load_\(name) \(type)\n"
        if name.hasSuffix("_seconds") { text += "# UNIT sensibus_load_\(name) seconds\n" }
        text += "# HELP sensibus_load_\(name) \(help)\n"
    }
}
