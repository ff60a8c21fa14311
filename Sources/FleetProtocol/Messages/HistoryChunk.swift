/// Some of an account's recently ended requests, in no particular order.
public struct HistoryChunk: Sendable, Equatable {
    /// A request's end with its time.
    public struct PastOutcome: Sendable, Equatable {
        /// The time at which the request ended.
        public let endedAt: WallTime
        /// The report of its outcome.
        public let report: OutcomeReport

        /// That end at that time.
        public init(endedAt: WallTime, report: OutcomeReport) {
            (self.endedAt, self.report) = (endedAt, report)
        }

        /// The upper bound of its size in a chunk: 240 bytes for numbers and framing, and its texts.
        public var bytesAtMost: Int {
            let textBytes = if case .rejected(let why) = report.outcome { why.utf8.count } else { 0 }
            return 240 + report.user.address.utf8.count + textBytes
        }
    }

    /// The cursor of the next request.
    public let nextCursor: UInt32
    /// Whether this is the last chunk.
    public let isLast: Bool
    /// The time up to which requests may be missing, by their creation time; nil if the history is complete.
    public let completeSince: WallTime?
    /// The outcomes; may be empty even if more chunks follow.
    public var outcomes: [PastOutcome]

    /// A chunk with the given values.
    public init(nextCursor: UInt32, isLast: Bool, completeSince: WallTime?, outcomes: [PastOutcome]) {
        (self.nextCursor, self.isLast) = (nextCursor, isLast)
        (self.completeSince, self.outcomes) = (completeSince, outcomes)
    }
}
