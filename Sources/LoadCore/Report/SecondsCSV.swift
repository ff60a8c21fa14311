import UserText

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
