/// What a node's process has counted since it started, and how it is.
///
/// Another life of the process begins at zero again, as those who add counters up expect.
public struct NodeCounters: Hashable, Sendable {
    /// Commands that arrived, repeated ones too.
    public var commands: UInt64 = 0
    /// Answers that left, by the places of their verdicts in ``Verdict/Kind``.
    public private(set) var results = [UInt64](repeating: 0, count: Verdict.Kind.allCases.count)
    /// From the arrival of each command or abort that was answered until the answer left.
    public var commandTime = DurationCounts()
    /// Rows that were published.
    public var publishedRows: UInt64 = 0
    /// Measurements that were published, one a pod.
    public var publishedMeasurements: UInt64 = 0
    /// Entries that devices were given to remember.
    public var rememberedEntries: UInt64 = 0
    /// Messages of the controller that were refused.
    public var refusedMessages: UInt64 = 0
    /// How long the file is in which devices remember, bytes.
    public var memoryBytes: UInt64 = 0
    /// The longest turn of the node's loop since it last told, microseconds.
    public var longestTurnUs: UInt64 = 0
    /// Timers that are set.
    public var timers: UInt32 = 0

    /// Nothing was counted.
    public init() {}

    /// Answers of a kind that left.
    public subscript(kind: Verdict.Kind) -> UInt64 {
        get { results[Int(kind.rawValue)] }
        set { results[Int(kind.rawValue)] = newValue }
    }

    /// The answers by verdict, as the wire has them; setting an empty array changes nothing.
    var toldResults: [UInt64] {
        get { results }
        set { if !newValue.isEmpty { results = newValue } }
    }
}
