import FleetTime
import Histogram

/// Statistics of a latency, in microseconds; nil if nothing was measured.
public struct LatencyFigures: Equatable, Sendable {
    /// The number of latencies.
    public let count: UInt64
    /// The mean.
    public let mean: Double?
    /// The median.
    public let p50: Double?
    /// The 90th percentile.
    public let p90: Double?
    /// The 99th percentile.
    public let p99: Double?
    /// The 99.9th percentile.
    public let p999: Double?
    /// The longest latency.
    public let max: Double?
}

extension LatencyFigures {
    /// The statistics of no latencies.
    static let none = LatencyFigures(count: 0, mean: nil, p50: nil, p90: nil, p99: nil, p999: nil, max: nil)
}

extension LatencyFigures: Codable {
    private enum CodingKeys: String, CodingKey {
        case count, mean, p50, p90, p99, p999, max
    }

    /// Encodes every key, with null if nothing was measured: scripts rely on all keys.
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

/// A histogram of latencies with an error of at most 0.1 %, which allocates its memory when it is created.
///
/// It has the bucket layout of HdrHistogram at three significant digits. The `Histogram` package is not used
/// for recording, because its generic code is not specialised outside its module: the first latency of half a
/// millisecond took 5 ms, and all requests that were due in that time were late.
struct LatencyRecord: Sendable {
    /// The number of values in the finest bucket; a power of two above 2,000.
    private static let finestValues = 2_048
    /// The number of slots of each further bucket, whose slots are twice as wide as those before.
    private static let slotsPerBucket = finestValues / 2
    /// Slots for latencies up to 2^36 ns, 68 s, twice the longest timeout; longer latencies add slots.
    private static let usualSlots = slot(of: (1 << 36) - 1) + 1

    /// The number of latencies in each slot.
    private var counts = [UInt64](repeating: 0, count: usualSlots)
    /// The range of slots with counts above 0.
    private var used = 0..<0
    private var sumNs = 0.0
    private var shortestNs = UInt64.max
    private var longestNs: UInt64 = 0

    /// The number of recorded latencies.
    private(set) var count: UInt64 = 0

    /// Records a latency; a negative one, from clocks that disagree, counts as 0.
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

    /// Returns the latency at a percentile, in microseconds; nil if nothing was recorded.
    ///
    /// - Parameter percentile: 0 to 100; 100 is the exact longest latency.
    func us(atPercentile percentile: Double) -> Double? {
        guard count > 0 else { return nil }
        guard percentile < 100 else { return Self.us(longestNs) }
        // `nextDown` keeps a rank that is whole except for rounding from being rounded up.
        let part = max(percentile.nextDown, 0) * Double(count) / 100
        let wanted = max(1, UInt64(part.rounded(.up)))
        var counted: UInt64 = 0
        for slot in used {
            counted += counts[slot]
            if counted >= wanted { return Self.us(value(of: slot)) }
        }
        return Self.us(longestNs)
    }

    /// The statistics of the recorded latencies.
    var figures: LatencyFigures {
        LatencyFigures(
            count: count, mean: count == 0 ? nil : Self.us(UInt64(sumNs / Double(count))),
            p50: us(atPercentile: 50), p90: us(atPercentile: 90), p99: us(atPercentile: 99),
            p999: us(atPercentile: 99.9), max: us(atPercentile: 100))
    }

    /// The whole distribution, with more points towards its end.
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

    /// The same latencies as a histogram of the `Histogram` package, for the report.
    private var histogram: Histogram<UInt64> {
        var histogram = Histogram<UInt64>(
            highestTrackableValue: max(2, longestNs), numberOfSignificantValueDigits: .three)
        for slot in used where counts[slot] > 0 { histogram.record(value(of: slot), count: counts[slot]) }
        return histogram
    }

    /// Returns the longest latency of a slot, limited to the range of the recorded latencies.
    private func value(of slot: Int) -> UInt64 { max(shortestNs, min(Self.longest(of: slot), longestNs)) }

    /// Returns the slot of a value: the offset of its bucket plus the value's eleven leading bits.
    private static func slot(of nanoseconds: UInt64) -> Int {
        let bits = 64 - (nanoseconds | UInt64(finestValues - 1)).leadingZeroBitCount
        let bucket = bits - finestValues.trailingZeroBitCount
        return bucket * slotsPerBucket + Int(nanoseconds >> bucket)
    }

    /// Returns the longest value of a slot, nanoseconds.
    private static func longest(of slot: Int) -> UInt64 {
        let bucket = max(0, slot / slotsPerBucket - 1)
        return (UInt64(slot - bucket * slotsPerBucket + 1) << bucket) - 1
    }

    /// Converts nanoseconds to microseconds, rounded to one decimal.
    private static func us(_ nanoseconds: UInt64) -> Double { (Double(nanoseconds) / 100).rounded() / 10 }
}

/// A point of a distribution of latencies.
public struct DistributionPoint: Codable, Equatable, Sendable {
    /// The percentile, 0 to 100.
    public let percentile: Double
    /// The latency at the percentile, microseconds.
    public let us: Double
    /// The number of latencies up to that one.
    public let count: UInt64
}

/// The latency of the applied toggles by hop; the means of the hops add up to the mean latency.
public struct HopFigures: Codable, Equatable, Sendable {
    /// In the tester, from the due time until the request was sent.
    public let testerUs: LatencyFigures
    /// In the device's lane, until the controller dispatched the command.
    public let queueUs: LatencyFigures
    /// In the journal, before the command was sent to the device.
    public let journalUs: LatencyFigures
    /// Between controller and device, in both directions.
    public let wireUs: LatencyFigures
    /// In the device.
    public let deviceUs: LatencyFigures
    /// The rest: between tester and controller in both directions, and in the controller before its reply.
    public let replyUs: LatencyFigures

    /// Each hop with its name, in the order of the path.
    var parts: [(name: String, figures: LatencyFigures)] {
        [
            ("tester", testerUs), ("queue", queueUs), ("journal", journalUs), ("wire", wireUs),
            ("device", deviceUs), ("reply", replyUs),
        ]
    }
}

/// The results of the cancels.
public struct CancelFigures: Codable, Equatable, Sendable {
    /// Requests that were cancelled: they were not applied and never will be.
    public internal(set) var inTime = 0
    /// Requests that had already ended.
    public internal(set) var tooLate = 0
    /// Requests whose device had received the abort and not confirmed it yet.
    public internal(set) var pending = 0
    /// Cancels with any other reply, such as a refusal.
    public internal(set) var refused = 0
    /// Requests that were given up after their cancel was sent.
    public internal(set) var noAnswer = 0
    /// The time from sending a cancel to its reply.
    public internal(set) var latencyUs: LatencyFigures
}

/// The results of the requests that were sent twice.
public struct RetryFigures: Codable, Equatable, Sendable {
    /// Both copies got the same outcome, as the protocol guarantees.
    public internal(set) var alike = 0
    /// The copies got different outcomes, which violates the guarantee.
    public internal(set) var different = 0
    /// At least one copy got a refusal or an outcome that is not final, so they cannot be compared.
    public internal(set) var undecided = 0
    /// Requests that were given up after their second copy was sent.
    public internal(set) var noAnswer = 0
}
