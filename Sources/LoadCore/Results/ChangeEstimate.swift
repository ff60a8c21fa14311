import CMath
import FleetProtocol

/// How much a figure has changed between the runs of two versions, with an interval of 95 % confidence.
///
/// The estimate is the ratio of the geometric means of the runs. The interval comes from bootstrap resampling
/// of the runs, expanded for few runs (Hesterberg, "What Teachers Should Know About the Bootstrap", 2014,
/// section 4.3): without this, an interval of seven runs would contain the truth in 9 of 10 cases only.
public struct ChangeEstimate: Codable, Equatable, Sendable {
    /// What the interval says.
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
    /// The lower end of the interval.
    public let low: Double
    /// The upper end of the interval.
    let high: Double

    /// Half the width of the interval.
    public var margin: Double { (high - low) / 2 }

    /// What the interval says.
    var verdict: Verdict { low > 0 ? .higher : high < 0 ? .lower : .undecided }

    /// Estimates the change between runs that did not alternate.
    ///
    /// Returns nil for fewer than ``fewestRuns`` runs of a version, and for values that are not positive.
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

    /// Estimates the change from the ratios of pairs of runs that followed one another.
    ///
    /// What slows the machine for longer than a pair does not count. Returns nil for fewer than
    /// ``fewestRuns`` pairs, and for ratios that are not positive.
    init?(ratios: [Double]) {
        self.init(ratios: ratios, resamples: Self.resamples)
    }

    init?(ratios: [Double], resamples: Int) {
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
