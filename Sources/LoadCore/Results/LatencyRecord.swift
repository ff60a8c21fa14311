import Histogram
import Stepping

/// How long many things took: every one of them, within a thousandth.
struct LatencyRecord: Sendable {
    /// In nanoseconds.
    private var histogram = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
    private var sumNs = 0.0

    /// How many were recorded.
    var count: UInt64 { histogram.totalCount }

    /// Records one; a negative one, of clocks that are no one clock, as none.
    mutating func record(_ duration: Duration) {
        let nanoseconds = UInt64(max(0, duration.wholeNanoseconds))
        histogram.record(nanoseconds)
        sumNs += Double(nanoseconds)
    }

    /// Forgets everything.
    mutating func reset() {
        histogram.reset()
        sumNs = 0
    }

    /// The least time, in microseconds, within which that part of all stayed; nil when there is none.
    ///
    /// - Parameter percentile: 0 to 100; at 100 it is the longest, exactly.
    func us(atPercentile percentile: Double) -> Double? {
        count == 0 ? nil : Self.us(histogram.valueAtPercentile(percentile))
    }

    /// What is told of it.
    var figures: LatencyFigures {
        LatencyFigures(
            count: count, mean: count == 0 ? nil : Self.us(UInt64(sumNs / Double(count))),
            p50: us(atPercentile: 50), p90: us(atPercentile: 90), p99: us(atPercentile: 99),
            p999: us(atPercentile: 99.9), max: us(atPercentile: 100))
    }

    /// The whole distribution, finer towards its end.
    var distribution: [DistributionPoint] {
        histogram.percentiles(ticksPerHalfDistance: 5).map { step in
            DistributionPoint(
                percentile: step.percentileLevelIteratedTo, us: Self.us(step.value),
                count: step.totalCountToThisValue)
        }
    }

    /// The distribution in the text format of HdrHistogram's tools, in milliseconds.
    var percentileFile: String {
        var text = ""
        histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1_000_000)
        return text
    }

    /// Microseconds of nanoseconds, with no more digits than a tenth.
    private static func us(_ nanoseconds: UInt64) -> Double {
        (Double(nanoseconds) / 100).rounded() / 10
    }
}
