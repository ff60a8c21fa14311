import CMath
import FleetProtocol
import UserText

/// The runs of a load compared with earlier ones, or with those of another version that alternated with them.
public struct LoadComparison: Equatable, Sendable {
    public struct Row: Equatable, Sendable {
        public let name: String
        /// The value before: the geometric mean of the runs.
        public let before: Double
        /// The value now: the geometric mean of the runs.
        public let now: Double
        /// Whether the figure is a time in microseconds; otherwise it is a rate per second.
        public let isTime: Bool
        /// The change with its interval; nil for too few runs.
        let estimate: ChangeEstimate?

        /// The relative growth; nil if the earlier value is 0.
        public var growth: Double? { before == 0 ? nil : now / before - 1 }

        fileprivate init?(
            _ name: String, before: [Double?], now: [Double?], isTime: Bool, isAlternating: Bool
        ) {
            let (before, now) = (before.compactMap(\.self), now.compactMap(\.self))
            guard !before.isEmpty, !now.isEmpty else { return nil }
            (self.name, self.isTime) = (name, isTime)
            (self.before, self.now) = (ChangeEstimate.mean(of: before), ChangeEstimate.mean(of: now))
            estimate =
                isAlternating && before.count == now.count
                ? ChangeEstimate(ratios: zip(now, before).map { $0 / $1 })
                : ChangeEstimate(from: before, to: now)
        }

        /// What has changed, in words: `slower by 4 % ± 1 %`; nil for too few runs. If the margin would reach
        /// 0 on the shorter side of an interval that does not contain 0, the text has both ends: `slower by
        /// 58 %, between 5.2 % and 175 %`.
        public var text: String? {
            guard let estimate else { return nil }
            let margin = " ± " + Self.percent(estimate.margin)
            let (more, less) = isTime ? ("slower", "faster") : ("more", "less")
            let (way, change, ends): (String, Double, (Double, Double))
            switch estimate.verdict {
            case .higher: (way, change, ends) = (more, estimate.change, (estimate.low, estimate.high))
            case .lower: (way, change, ends) = (less, -estimate.change, (-estimate.high, -estimate.low))
            case .undecided: return "no difference found: \(FigureText.growth(estimate.change))\(margin)"
            }
            let interval = ", between \(Self.percent(ends.0)) and \(Self.percent(ends.1))"
            return "\(way) by \(Self.percent(change))" + (estimate.margin < change ? margin : interval)
        }

        /// The row in a table: name, both values, and what has changed.
        public var texts: [String] {
            let values = [before, now].map { isTime ? FigureText.time(us: $0) : FigureText.rate($0) }
            return [name] + values + [text ?? FigureText.growth(growth)]
        }

        private static func percent(_ part: Double) -> String {
            FigureText.decimal(part * 100, places: abs(part) < 0.1 ? 1 : 0) + " %"
        }
    }

    public let before: LoadResult
    public let rows: [Row]
    let runsBefore: Int
    let runsNow: Int
    let isAlternating: Bool
    /// The differences of target, plan and environment that may explain a difference of the figures.
    public let differences: [String]

    /// Compares the runs of a report with those of its baseline; nil without one.
    public init?(of report: LoadReport) {
        guard !report.baseline.isEmpty else { return nil }
        self.init(report.steps, with: report.baseline, isAlternating: true, differences: [])
    }

    /// Compares the last load of a report, with all its runs, with the loads of an earlier report that had
    /// the same demand; without such a load, with the last one.
    public init(of report: LoadReport, with earlier: LoadReport) {
        let now = report.last.result.plan
        let same = earlier.steps.filter { $0.result.plan.hasDemand(of: now) }
        let before = same.isEmpty ? [earlier.last] : same
        self.init(
            report.steps.filter { $0.result.plan.hasDemand(of: now) }, with: before, isAlternating: false,
            differences: Self.differing([("target", earlier.target.rawValue, report.target.rawValue)])
                + Self.differences(before[before.count - 1].result.plan, now)
                + Self.differences(earlier.environment, report.environment))
    }

    private init(
        _ now: [LoadReport.Step], with before: [LoadReport.Step], isAlternating: Bool, differences: [String]
    ) {
        let (now, before) = (now.map(\.result), before.map(\.result))
        self.before = before[before.count - 1]
        (runsBefore, runsNow) = (before.count, now.count)
        (self.isAlternating, self.differences) = (isAlternating, differences)
        let times: [(String, KeyPath<LoadResult, Double?>)] = [
            ("mean", \.latencyUs.mean), ("p50", \.latencyUs.p50), ("p90", \.latencyUs.p90),
            ("p99", \.latencyUs.p99), ("p99.9", \.latencyUs.p999), ("max", \.latencyUs.max),
            ("service p99", \.serviceUs.p99), ("cpu per toggle", \.processorUsPerToggle),
        ]
        let throughput = Row(
            "throughput", before: before.map(\.throughputPerSecond), now: now.map(\.throughputPerSecond),
            isTime: false, isAlternating: isAlternating)
        rows =
            [throughput].compactMap(\.self)
            + times.compactMap { name, path in
                Row(
                    name, before: before.map { $0[keyPath: path] }, now: now.map { $0[keyPath: path] },
                    isTime: true, isAlternating: isAlternating)
            }
    }

    /// How the change is judged, in one line.
    public var basis: String {
        guard rows.contains(where: { $0.estimate != nil }) else {
            return "fewer than \(ChangeEstimate.fewestRuns) runs each do not show whether a change is noise: "
                + "use --repeat 7"
        }
        let way =
            isAlternating
            ? "which alternated" : "at different times: a change of the machine counts too"
        return "\(runsBefore) + \(runsNow) runs, \(way); ± is half of the interval of 95 % confidence"
    }

    private static func differences(_ before: LoadResult.Plan, _ now: LoadResult.Plan) -> [String] {
        let facts: [(String, String, String)] = [
            (
                "rate", text(before.ratePerSecond.map(FigureText.rate)),
                text(now.ratePerSecond.map(FigureText.rate))
            ),
            ("ramp", text(before.ramp), text(now.ramp)),
            ("in flight", text(before.inFlight), text(now.inFlight)),
            ("arrivals", text(before.arrivals?.rawValue), text(now.arrivals?.rawValue)),
            ("connections", "\(before.connections)", "\(now.connections)"),
            ("devices", "\(before.devices)", "\(now.devices)"),
            ("cancels", "\(before.cancelRatio)", "\(now.cancelRatio)"),
            ("mix", text(before.mix), text(now.mix)),
            ("repeats", "\(before.retryRatio)", "\(now.retryRatio)"),
        ]
        return differing(facts)
    }

    private static func differences(_ before: LoadEnvironment, _ now: LoadEnvironment) -> [String] {
        let facts: [(String, String, String)] = [
            ("processor", before.processor, now.processor), ("cores", "\(before.cores)", "\(now.cores)"),
            ("kernel", before.kernel, now.kernel), ("libzmq", before.libzmq, now.libzmq),
        ]
        guard let scenarioBefore = before.scenario, let scenario = now.scenario else {
            return differing(facts)
        }
        return differing(facts + [("scenario", scenarioBefore, scenario)])
    }

    private static func differing(_ facts: [(name: String, before: String, now: String)]) -> [String] {
        facts.filter { $0.before != $0.now }.map { "\($0.name) \($0.now), was \($0.before)" }
    }

    private static func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "none" }
}

extension LoadResult.Plan {
    /// Returns whether two plans have the same rate, ramp or number in flight.
    func hasDemand(of other: Self) -> Bool {
        ratePerSecond == other.ratePerSecond && ramp == other.ramp && inFlight == other.inFlight
    }
}

/// How much a figure has changed between the runs of two versions, with an interval of 95 % confidence.
///
/// The estimate is the ratio of the geometric means of the runs. The interval comes from bootstrap resampling
/// of the runs, expanded for few runs (Hesterberg, "What Teachers Should Know About the Bootstrap", 2014,
/// section 4.3): without this, an interval of seven runs would contain the truth in 9 of 10 cases only.
public struct ChangeEstimate: Codable, Equatable, Sendable {
    enum Verdict: String, Codable, Sendable {
        /// The figure is higher: the whole interval is above 0.
        case higher
        /// The figure is lower: the whole interval is below 0.
        case lower
        /// The difference may be noise: 0 is in the interval.
        case undecided
    }

    /// The fewest runs of each version that allow an estimate.
    public static let fewestRuns = 5

    /// How often the runs are drawn again: more changes an end of the interval by less than 1 % of its width.
    static let resamples = 10_000

    /// The relative change: 0.04 is 4 % more than before.
    public let change: Double
    public let low: Double
    let high: Double

    /// Half the width of the interval.
    public var margin: Double { (high - low) / 2 }
    var verdict: Verdict { low > 0 ? .higher : high < 0 ? .lower : .undecided }

    /// Estimates the change between runs that did not alternate. Returns nil for fewer than ``fewestRuns``
    /// runs of a version, and for values that are not positive.
    public init?(from before: [Double], to now: [Double]) {
        self.init(from: before, to: now, resamples: Self.resamples)
    }

    init?(from before: [Double], to now: [Double], resamples: Int) {
        guard let before = Self.logarithms(before), let now = Self.logarithms(now) else { return nil }
        var random = SeededGenerator(seed: UInt64(before.count) << 32 | UInt64(now.count))
        let means = (0..<resamples).map { _ in
            Self.resampledMean(of: now, using: &random) - Self.resampledMean(of: before, using: &random)
        }
        self.init(
            Self.sum(now) / Double(now.count) - Self.sum(before) / Double(before.count), resampled: means,
            runs: min(before.count, now.count))
    }

    /// Estimates the change from the ratios of pairs of runs that followed one another. What slows the
    /// machine for longer than a pair does not count. Returns nil for fewer than ``fewestRuns`` pairs, and
    /// for ratios that are not positive.
    init?(ratios: [Double], resamples: Int = Self.resamples) {
        guard let ratios = Self.logarithms(ratios) else { return nil }
        var random = SeededGenerator(seed: UInt64(ratios.count))
        let means = (0..<resamples).map { _ in Self.resampledMean(of: ratios, using: &random) }
        self.init(Self.sum(ratios) / Double(ratios.count), resampled: means, runs: ratios.count)
    }

    private init(_ logarithm: Double, resampled: [Double], runs: Int) {
        let sorted = resampled.sorted()
        let cut = Int((Self.tail(ofRuns: runs) * Double(sorted.count)).rounded())
        change = exp(logarithm) - 1
        low = exp(sorted[cut]) - 1
        high = exp(sorted[sorted.count - 1 - cut]) - 1
    }

    /// Returns the natural logarithms; nil if there are too few, or one does not exist.
    private static func logarithms(_ values: [Double]) -> [Double]? {
        guard values.count >= fewestRuns, values.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
        return values.map { log($0) }
    }

    /// Returns the geometric mean; 0 if a value is not positive.
    static func mean(of values: [Double]) -> Double {
        guard values.allSatisfy({ $0 > 0 }) else { return 0 }
        return exp(sum(values.map { log($0) }) / Double(values.count))
    }

    private static func sum(_ values: [Double]) -> Double { values.reduce(0, +) }

    private static func resampledMean(of values: [Double], using random: inout SeededGenerator) -> Double {
        var sum = 0.0
        for _ in values { sum += values[Int.random(in: 0..<values.count, using: &random)] }
        return sum / Double(values.count)
    }

    /// The part of the resampled means to leave out at each end: the normal distribution's tail beyond the
    /// 97.5 % quantile of Student's distribution, times the square root of n / (n - 1).
    private static func tail(ofRuns runs: Int) -> Double {
        let quantile = studentQuantiles[min(runs - 2, studentQuantiles.count - 1)]
        let ratio = Double(runs) / Double(runs - 1)
        return erfc(quantile * (ratio / 2).squareRoot()) / 2
    }

    /// The 97.5 % quantiles of Student's distribution with 1, 2, … degrees of freedom.
    private static let studentQuantiles = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
        2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    ]
}
