/// How long things took, as how many are in each of some fixed buckets.
///
/// Counts of many processes can be added up, which times cannot, and they take the same room however many
/// there are. The bounds are those of a command in a node: from 10 µs, in which most are answered, to 10 s,
/// longer than most clients wait.
public struct DurationCounts: Hashable, Sendable {
    /// The buckets' upper bounds, microseconds; what takes longer is in the last bucket, which has none.
    public static let boundsUs: [UInt64] = [
        10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000, 10_000_000,
    ]

    /// How many are in each bucket, and in none before it.
    public private(set) var counts = [UInt64](repeating: 0, count: boundsUs.count + 1)
    /// All of them together, microseconds.
    public private(set) var sumUs: UInt64 = 0

    /// Counts of nothing.
    public init() {}

    /// What somebody else has counted; nil where there is not one count for each bucket.
    public init?(counts: [UInt64], sumUs: UInt64) {
        guard counts.count == Self.boundsUs.count + 1 else { return nil }
        self.counts = counts
        self.sumUs = sumUs
    }

    /// Counts one.
    public mutating func note(us microseconds: UInt64) {
        counts[Self.boundsUs.firstIndex { microseconds <= $0 } ?? Self.boundsUs.count] &+= 1
        sumUs &+= microseconds
    }
}
