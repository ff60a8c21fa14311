import Stepping

/// How long things took, counted in fixed buckets.
///
/// Prometheus adds up buckets of many processes, which needs the same bounds in all of them: from half a
/// millisecond, the fastest toggles over HTTP, to ten seconds.
public struct DurationHistogram: Equatable, Sendable {
    /// The buckets' upper bounds, seconds; what takes longer is in the last one, which has none.
    static let bounds = [
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// How many are in each bucket and in none before it; the last is that without a bound.
    private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// All of them together, seconds.
    private(set) var sum = 0.0

    /// A histogram of nothing.
    public init() {}

    /// How many there are.
    var count: UInt64 { counts.reduce(0, +) }

    /// Counts one.
    public mutating func note(_ duration: Duration) {
        let seconds = Double(duration.wholeMicroseconds) / 1_000_000
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }
}
