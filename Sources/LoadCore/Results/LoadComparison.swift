/// A load held against an earlier one.
public struct LoadComparison: Equatable, Sendable {
    /// One figure of both.
    public struct Row: Equatable, Sendable {
        /// Which figure.
        public let name: String
        /// What it was.
        public let before: Double
        /// What it is.
        public let now: Double
        /// Whether it is a time, in microseconds; otherwise it is a rate a second.
        public let isTime: Bool

        /// By which part it has grown; nil where it grew from nothing.
        public var growth: Double? {
            before == 0 ? nil : now / before - 1
        }
    }

    /// The earlier load.
    public let before: LoadResult
    /// The figures that both have.
    public let rows: [Row]
    /// What was not the same and may explain a difference, in words.
    public let differences: [String]

    /// The last load of a report held against the one of an earlier report that was asked for the same; else
    /// against its last.
    public init(of report: LoadReport, with earlier: LoadReport) {
        let now = report.last.result
        let alike = earlier.steps.last { step in
            step.result.plan.ratePerSecond == now.plan.ratePerSecond
                && step.result.plan.inFlight == now.plan.inFlight
        }
        let before = (alike ?? earlier.last).result
        self.before = before
        let times: [(String, KeyPath<LoadResult, Double?>)] = [
            ("p50", \.latencyUs.p50), ("p90", \.latencyUs.p90), ("p99", \.latencyUs.p99),
            ("p99.9", \.latencyUs.p999), ("max", \.latencyUs.max), ("service p99", \.serviceUs.p99),
        ]
        rows =
            [
                Row(
                    name: "throughput", before: before.throughputPerSecond, now: now.throughputPerSecond,
                    isTime: false)
            ]
            + times.compactMap { name, path in
                guard let then = before[keyPath: path], let this = now[keyPath: path] else { return nil }
                return Row(name: name, before: then, now: this, isTime: true)
            }
        differences =
            Self.differing([("target", earlier.target.rawValue, report.target.rawValue)])
            + Self.differences(before.plan, now.plan)
            + Self.differences(earlier.environment, report.environment)
    }

    private static func differences(_ before: LoadResult.Plan, _ now: LoadResult.Plan) -> [String] {
        let facts: [(String, String, String)] = [
            ("rate", text(before.ratePerSecond), text(now.ratePerSecond)),
            ("in flight", text(before.inFlight), text(now.inFlight)),
            ("arrivals", text(before.arrivals?.rawValue), text(now.arrivals?.rawValue)),
            ("connections", "\(before.connections)", "\(now.connections)"),
            ("devices", "\(before.devices)", "\(now.devices)"),
            ("cancels", "\(before.cancelRatio)", "\(now.cancelRatio)"),
            ("repeats", "\(before.retryRatio)", "\(now.retryRatio)"),
        ]
        return differing(facts)
    }

    private static func differences(_ before: LoadEnvironment, _ now: LoadEnvironment) -> [String] {
        let facts: [(String, String, String)] = [
            ("processor", before.processor, now.processor), ("cores", "\(before.cores)", "\(now.cores)"),
            ("kernel", before.kernel, now.kernel), ("libzmq", before.libzmq, now.libzmq),
        ]
        return differing(facts)
    }

    private static func differing(_ facts: [(name: String, before: String, now: String)]) -> [String] {
        facts.filter { $0.before != $0.now }.map { "\($0.name): \($0.now), was \($0.before)" }
    }

    private static func text(_ value: (some Any)?) -> String {
        value.map { "\($0)" } ?? "none"
    }
}
