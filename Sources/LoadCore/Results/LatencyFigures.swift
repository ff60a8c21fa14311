import Histogram
import Stepping

/// How long something took, in microseconds; nil where nothing was measured.
public struct LatencyFigures: Equatable, Sendable {
    /// How many were measured.
    public let count: UInt64
    /// The mean.
    public let mean: Double?
    /// Half took no longer.
    public let p50: Double?
    /// Nine in ten took no longer.
    public let p90: Double?
    /// All but one in a hundred took no longer.
    public let p99: Double?
    /// All but one in a thousand took no longer.
    public let p999: Double?
    /// The longest.
    public let max: Double?
}

extension LatencyFigures {
    /// Nothing was measured.
    static let none = LatencyFigures(
        count: 0, mean: nil, p50: nil, p90: nil, p99: nil, p999: nil, max: nil)
}

extension LatencyFigures: Codable {
    private enum CodingKeys: String, CodingKey {
        case count, mean, p50, p90, p99, p999, max
    }

    /// Writes every key, null where nothing was measured: scripts rely on them.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(count, forKey: .count)
        try members.encode(mean, forKey: .mean)
        try members.encode(p50, forKey: .p50)
        try members.encode(p90, forKey: .p90)
        try members.encode(p99, forKey: .p99)
        try members.encode(p999, forKey: .p999)
        try members.encode(max, forKey: .max)
    }
}

/// A histogram of latencies, each within a thousandth, whose memory is allocated when it is made.
///
/// It has the bucket layout of HdrHistogram at three significant digits. The `Histogram` package is not used
/// for recording, because its generic code is not specialised outside its module: the first latency of half a
/// millisecond took 5 ms, and all requests that were due in that time were late.
struct LatencyRecord: Sendable {
    /// Values that share the finest bucket size; a power of two above twice a thousand.
    private static let finestValues = 2_048
    /// Slots of each further bucket, whose values are twice as far apart.
    private static let slotsPerBucket = finestValues / 2
    /// Slots for latencies up to 2^36 ns, 68 s, twice the longest patience; longer latencies add slots.
    private static let usualSlots = slot(of: (1 << 36) - 1) + 1

    /// Latencies by slot, in nanoseconds.
    private var counts = [UInt64](repeating: 0, count: usualSlots)
    /// The range of slots with counts above 0.
    private var used = 0..<0
    private var sumNs = 0.0
    private var shortestNs = UInt64.max
    private var longestNs: UInt64 = 0

    /// How many were recorded.
    private(set) var count: UInt64 = 0

    /// Records one; a negative one, of clocks that are no one clock, as none.
    mutating func record(_ duration: Duration) {
        let nanoseconds = UInt64(max(0, duration.wholeNanoseconds))
        let slot = Self.slot(of: nanoseconds)
        if slot >= counts.count { counts += [UInt64](repeating: 0, count: slot + 1 - counts.count) }
        counts[slot] += 1
        used = used.isEmpty ? slot..<slot + 1 : min(used.lowerBound, slot)..<max(used.upperBound, slot + 1)
        count += 1
        sumNs += Double(nanoseconds)
        shortestNs = min(shortestNs, nanoseconds)
        longestNs = max(longestNs, nanoseconds)
    }

    /// Removes all latencies, and keeps the memory.
    mutating func reset() {
        for slot in used { counts[slot] = 0 }
        used = 0..<0
        (count, sumNs, shortestNs, longestNs) = (0, 0, .max, 0)
    }

    /// The least time, in microseconds, within which that part of all stayed; nil when there is none.
    ///
    /// - Parameter percentile: 0 to 100; at 100 it is the longest, exactly.
    func us(atPercentile percentile: Double) -> Double? {
        guard count > 0 else { return nil }
        guard percentile < 100 else { return Self.us(longestNs) }
        // A part that is whole but for rounding does not need one more.
        let part = max(percentile.nextDown, 0) * Double(count) / 100
        let wanted = max(1, UInt64(part.rounded(.up)))
        var counted: UInt64 = 0
        for slot in used {
            counted += counts[slot]
            if counted >= wanted { return Self.us(value(of: slot)) }
        }
        return Self.us(longestNs)
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

    /// The same latencies as a histogram of the package, for the report.
    private var histogram: Histogram<UInt64> {
        var histogram = Histogram<UInt64>(
            highestTrackableValue: max(2, longestNs), numberOfSignificantValueDigits: .three)
        for slot in used where counts[slot] > 0 { histogram.record(value(of: slot), count: counts[slot]) }
        return histogram
    }

    /// The longest latency of a slot, at most the longest recorded one.
    private func value(of slot: Int) -> UInt64 {
        max(shortestNs, min(Self.longest(of: slot), longestNs))
    }

    /// The slot of a value: its bucket's place, and its eleven leading bits.
    private static func slot(of nanoseconds: UInt64) -> Int {
        let bits = 64 - (nanoseconds | UInt64(finestValues - 1)).leadingZeroBitCount
        let bucket = bits - finestValues.trailingZeroBitCount
        return bucket * slotsPerBucket + Int(nanoseconds >> bucket)
    }

    /// The longest value of a slot, nanoseconds.
    private static func longest(of slot: Int) -> UInt64 {
        let bucket = max(0, slot / slotsPerBucket - 1)
        return (UInt64(slot - bucket * slotsPerBucket + 1) << bucket) - 1
    }

    /// Microseconds of nanoseconds, with no more digits than a tenth.
    private static func us(_ nanoseconds: UInt64) -> Double {
        (Double(nanoseconds) / 100).rounded() / 10
    }
}

/// A point of a distribution of latencies.
public struct DistributionPoint: Codable, Equatable, Sendable {
    /// Which part of all, 0 to 100.
    public let percentile: Double
    /// Within which time that part stayed, microseconds.
    public let us: Double
    /// How many that is.
    public let count: UInt64
}

/// Where the time of an applied toggle went; the mean parts add up to the mean latency.
public struct HopFigures: Codable, Equatable, Sendable {
    /// In the tester, from when it was due until it left.
    public let testerUs: LatencyFigures
    /// In the device's lane, until the controller decided on it.
    public let queueUs: LatencyFigures
    /// In the journal, before it left for the device.
    public let journalUs: LatencyFigures
    /// Between controller and device, both ways.
    public let wireUs: LatencyFigures
    /// In the device.
    public let deviceUs: LatencyFigures
    /// Everything else: between tester and controller, both ways, and in the controller before it answered.
    public let replyUs: LatencyFigures

    /// Each part with its name, in the order of the way.
    var parts: [(name: String, figures: LatencyFigures)] {
        [
            ("tester", testerUs), ("queue", queueUs), ("journal", journalUs), ("wire", wireUs),
            ("device", deviceUs), ("reply", replyUs),
        ]
    }
}

/// What became of the requests that were taken back.
public struct CancelFigures: Codable, Equatable, Sendable {
    /// Cancelled: never applied, and never will be.
    public internal(set) var inTime = 0
    /// They had already ended.
    public internal(set) var tooLate = 0
    /// The device was asked and had not said.
    public internal(set) var pending = 0
    /// The cancel was not accepted.
    public internal(set) var refused = 0
    /// The cancel had no answer.
    public internal(set) var noAnswer = 0
    /// From the cancel's leaving to its answer.
    public internal(set) var latencyUs: LatencyFigures
}

/// What the requests were told that were sent twice.
public struct RetryFigures: Codable, Equatable, Sendable {
    /// Both copies were told the same end, as is promised.
    public internal(set) var alike = 0
    /// They were told different ends: a promise was broken.
    public internal(set) var different = 0
    /// One of them was refused, or told that nothing is known yet: nothing to compare.
    public internal(set) var undecided = 0
    /// A copy had no answer.
    public internal(set) var noAnswer = 0
}
