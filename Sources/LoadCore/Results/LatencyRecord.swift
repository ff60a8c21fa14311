import FleetProtocol
import Histogram
import UserText

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

    /// The slot of the longest latency that can be recorded.
    private static let lastSlot = slot(of: UInt64(Int64.max))

    private var counts = [UInt64](repeating: 0, count: usualSlots)
    /// The range of slots with counts above 0.
    private var used = 0..<0
    private var sumNs = 0.0
    private var shortestNs = UInt64.max
    private var longestNs: UInt64 = 0

    private(set) var count: UInt64 = 0

    /// Records a latency; a negative one, from clocks that disagree, counts as 0.
    mutating func record(_ duration: Duration) {
        let nanoseconds = UInt64(max(0, duration.wholeNanoseconds))
        let slot = Self.slot(of: nanoseconds)
        makeRoom(for: slot)
        counts[slot] += 1
        use(slot..<slot + 1)
        count += 1
        sumNs += Double(nanoseconds)
        shortestNs = min(shortestNs, nanoseconds)
        longestNs = max(longestNs, nanoseconds)
    }

    mutating func reset() {
        for slot in used { counts[slot] = 0 }
        used = 0..<0
        (count, sumNs, shortestNs, longestNs) = (0, 0, .max, 0)
    }

    /// Returns the latency at a percentile, in microseconds; nil if nothing was recorded.
    ///
    /// 100 is the exact longest latency.
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

    var figures: LatencyFigures {
        LatencyFigures(
            count: count, mean: count == 0 ? nil : Self.us(UInt64(sumNs / Double(count))),
            p50: us(atPercentile: 50), p90: us(atPercentile: 90), p99: us(atPercentile: 99),
            p999: us(atPercentile: 99.9), max: us(atPercentile: 100))
    }

    /// The whole distribution, with more points towards its end.
    var distribution: [DistributionPoint] {
        steps(of: histogram).map {
            DistributionPoint(percentile: $0.percentile, us: Self.us($0.ns), count: $0.count)
        }
    }

    /// The distribution in the text format of HdrHistogram's tools, in milliseconds. The `Histogram` package
    /// would write the end of the longest latency's bucket as the maximum.
    var percentileFile: String {
        func column(_ number: Double, places: Int = 3, width: Int = 12) -> String {
            let text = FigureText.decimal(number, places: places)
            return String(repeating: " ", count: max(0, width - text.utf8.count)) + text
        }
        let histogram = histogram
        var text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
        for (percentile, ns, count) in steps(of: histogram) {
            let part = percentile / 100
            text += column(Double(ns) / 1e6) + " " + column(part, places: 12)
            text += " " + column(Double(count), places: 0, width: 10)
            text += percentile < 100 ? " " + column(1 / (1 - part), places: 2, width: 14) + "\n" : "\n"
        }
        // Without latencies the package has no mean.
        let (mean, deviation) = count == 0 ? (0, 0) : (histogram.mean, histogram.stdDeviation)
        text += "#[Mean    = \(column(mean / 1e6)), StdDeviation   = \(column(deviation / 1e6))]\n"
        text += "#[Max     = \(column(Double(longestNs) / 1e6)), Total count    = "
        text += column(Double(count), places: 0) + "]\n"
        let buckets = max(1, Self.slot(of: longestNs) / Self.slotsPerBucket)
        text += "#[Buckets = \(column(Double(buckets), places: 0)), SubBuckets     = "
        return text + column(Double(Self.finestValues), places: 0) + "]\n"
    }

    /// The steps of a distribution; each is cut to the longest latency, which the end of its bucket exceeds.
    private func steps(of histogram: Histogram<UInt64>) -> [(percentile: Double, ns: UInt64, count: UInt64)] {
        histogram.percentiles(ticksPerHalfDistance: 5).map { step in
            (step.percentileLevelIteratedTo, min(step.value, longestNs), step.totalCountToThisValue)
        }
    }

    /// The same latencies as a histogram of the `Histogram` package, for the report.
    private var histogram: Histogram<UInt64> {
        var histogram = Histogram<UInt64>(
            highestTrackableValue: max(2, longestNs), numberOfSignificantValueDigits: .three)
        for slot in used where counts[slot] > 0 { histogram.record(value(of: slot), count: counts[slot]) }
        return histogram
    }

    private mutating func makeRoom(for slot: Int) {
        if slot >= counts.count { counts += [UInt64](repeating: 0, count: slot + 1 - counts.count) }
    }

    private mutating func use(_ slots: Range<Int>) {
        used =
            used.isEmpty
            ? slots : min(used.lowerBound, slots.lowerBound)..<max(used.upperBound, slots.upperBound)
    }

    /// Returns the longest latency of a slot, limited to the range of the recorded latencies.
    private func value(of slot: Int) -> UInt64 { max(shortestNs, min(Self.longest(of: slot), longestNs)) }

    /// Returns the slot of a value: the offset of its bucket plus the value's eleven leading bits.
    private static func slot(of nanoseconds: UInt64) -> Int {
        let bits = 64 - (nanoseconds | UInt64(finestValues - 1)).leadingZeroBitCount
        let bucket = bits - finestValues.trailingZeroBitCount
        return bucket * slotsPerBucket + Int(nanoseconds >> bucket)
    }

    private static func longest(of slot: Int) -> UInt64 {
        let bucket = max(0, slot / slotsPerBucket - 1)
        return (UInt64(slot - bucket * slotsPerBucket + 1) << bucket) - 1
    }

    private static func us(_ nanoseconds: UInt64) -> Double { (Double(nanoseconds) / 100).rounded() / 10 }
}

/// The latencies of a record in a compact form, which can be sent to another process.
struct RecordedLatencies: Codable, Sendable {
    /// The slots with latencies, each as its distance from the one before.
    fileprivate var distances: [Int] = []
    /// The number of latencies in each of these slots.
    fileprivate var counts: [UInt64] = []
    fileprivate let sumNs: Double
    fileprivate let shortestNs: UInt64
    fileprivate let longestNs: UInt64

    /// Whether sums of these numbers, and the mean, are within the range of their types.
    fileprivate var isPossible: Bool {
        guard !counts.isEmpty else { return distances.isEmpty }
        let isSmall = counts.allSatisfy { $0 <= LoadRecording.largestCount }
        // So the counts of all testers together are less than 2^62.
        guard isSmall, counts.count == distances.count, counts.count <= 1 << 16 else { return false }
        let most = Double(counts.reduce(0, +)) * Double(longestNs)
        // The sum is one of rounded numbers.
        return longestNs <= UInt64(Int64.max) && shortestNs <= longestNs && sumNs >= 0
            && sumNs <= most * 1.001
    }
}

extension LatencyRecord {
    var recorded: RecordedLatencies {
        var recorded = RecordedLatencies(sumNs: sumNs, shortestNs: shortestNs, longestNs: longestNs)
        var last = 0
        for slot in used where counts[slot] > 0 {
            recorded.distances.append(slot - last)
            recorded.counts.append(counts[slot])
            last = slot
        }
        return recorded
    }

    /// Adds recorded latencies, which may come from another process; fails if one is out of range.
    mutating func add(_ recorded: RecordedLatencies) throws(PlanError) {
        guard recorded.isPossible else { throw PlanError("a tester's latencies cannot be read") }
        guard !recorded.counts.isEmpty else { return }
        var slot = 0
        for (distance, number) in zip(recorded.distances, recorded.counts) {
            guard (0...Self.lastSlot - slot).contains(distance) else {
                throw PlanError("a tester's latencies cannot be read")
            }
            slot += distance
            makeRoom(for: slot)
            counts[slot] += number
            use(slot..<slot + 1)
            count += number
        }
        sumNs += recorded.sumNs
        shortestNs = min(shortestNs, recorded.shortestNs)
        longestNs = max(longestNs, recorded.longestNs)
    }
}
