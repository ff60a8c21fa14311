/// What the processes of an account's fleet have counted: the controller, and some of the nodes.
public struct CounterReport: Sendable, Equatable {
    /// What the controller has counted since it started, over all accounts.
    public struct Controller: Hashable, Sendable {
        /// Requests that clients have sent, of every kind, repeated ones too.
        public var requests: UInt64 = 0
        /// Commands that have ended, however they did.
        public var ended: UInt64 = 0
        /// Commands that went to nodes, repeated ones too.
        public var commands: UInt64 = 0
        /// Messages that nodes have sent.
        public var nodeMessages: UInt64 = 0
        /// Messages that nodes have published.
        public var telemetryMessages: UInt64 = 0
        /// Messages of nodes, and rows in them, that were not taken: late, doubled, or of no honest node.
        public var nodeRefusals: UInt64 = 0

        /// Nothing was counted.
        public init() {}
    }

    /// What a node has counted.
    public struct Node: Hashable, Sendable {
        /// The node.
        public let name: NodeName
        /// What it told last.
        public let counters: NodeCounters

        /// What a node of that name has told.
        public init(name: NodeName, counters: NodeCounters) {
            self.name = name
            self.counters = counters
        }
    }

    /// What the controller has counted.
    public let controller: Controller
    /// The account's nodes that are there and have told, ``Limits/counterNodes`` at most, in the order in
    /// which the controller came to know them.
    public let nodes: [Node]
    /// The cursor to ask with next.
    public let nextCursor: UInt32
    /// Whether nothing follows.
    public let isLast: Bool

    /// The report of those values.
    public init(controller: Controller, nodes: [Node], nextCursor: UInt32, isLast: Bool) {
        self.controller = controller
        self.nodes = nodes
        self.nextCursor = nextCursor
        self.isLast = isLast
    }
}

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
