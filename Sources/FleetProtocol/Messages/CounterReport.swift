/// The counters of a node process since its start, and its current gauges.
///
/// Counters restart at zero with the process, as monitoring systems expect.
public struct NodeCounters: Hashable, Sendable {
    /// Commands received, including retries.
    public var commands: UInt64 = 0
    /// Results sent, indexed by ``Verdict/Kind``.
    public private(set) var results = [UInt64](repeating: 0, count: Verdict.Kind.allCases.count)
    /// The times from receiving a command or an abort to sending its result.
    public var commandTime = DurationCounts()
    /// Rows published.
    public var publishedRows: UInt64 = 0
    /// Measurements published, one for each pod.
    public var publishedMeasurements: UInt64 = 0
    /// Entries written to the memory of devices.
    public var rememberedEntries: UInt64 = 0
    /// Controller messages that the node refused.
    public var refusedMessages: UInt64 = 0
    /// The size of the file with the devices' memory, in bytes.
    public var memoryBytes: UInt64 = 0
    /// The longest turn of the node's loop since its last report, in microseconds.
    public var longestTurnUs: UInt64 = 0
    /// Timers currently set.
    public var timers: UInt32 = 0

    /// Creates counters of zero.
    public init() {}

    /// The number of results sent with a kind of verdict.
    public subscript(kind: Verdict.Kind) -> UInt64 {
        get { results[Int(kind.rawValue)] }
        set { results[Int(kind.rawValue)] = newValue }
    }

    /// The results by verdict, in wire order; setting an empty array has no effect.
    var reportedResults: [UInt64] {
        get { results }
        set { if !newValue.isEmpty { results = newValue } }
    }
}

/// A histogram of durations with fixed buckets.
///
/// Histograms of many processes can be summed, and have a fixed size. The bounds suit a command in a node.
/// Most results take less than the first bound, 10 µs; the last, 10 s, exceeds most client timeouts.
public struct DurationCounts: Hashable, Sendable {
    /// The upper bounds of the buckets in microseconds; the last bucket is unbounded.
    public static let boundsUs: [UInt64] = [
        10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000, 10_000_000,
    ]

    /// The number of durations in each bucket; the counts are not cumulative.
    public private(set) var counts = [UInt64](repeating: 0, count: boundsUs.count + 1)
    /// The sum of all durations, in microseconds.
    public private(set) var sumUs: UInt64 = 0

    /// Creates an empty histogram.
    public init() {}

    /// Creates a histogram from received counts; nil unless there is one count for each bucket.
    public init?(counts: [UInt64], sumUs: UInt64) {
        guard counts.count == Self.boundsUs.count + 1 else { return nil }
        (self.counts, self.sumUs) = (counts, sumUs)
    }

    /// Adds a duration.
    public mutating func record(us microseconds: UInt64) {
        counts[Self.boundsUs.firstIndex { microseconds <= $0 } ?? Self.boundsUs.count] &+= 1
        sumUs &+= microseconds
    }
}
