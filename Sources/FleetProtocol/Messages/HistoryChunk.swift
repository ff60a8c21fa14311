public import Stepping

/// Some of an account's requests that ended in the last while, in no order.
public struct HistoryChunk: Sendable, Equatable {
    /// A request's end with its time.
    public struct PastOutcome: Sendable, Equatable {
        /// When it ended.
        public let endedAt: WallTime
        /// How.
        public let report: OutcomeReport

        /// That end at that time.
        public init(endedAt: WallTime, report: OutcomeReport) {
            self.endedAt = endedAt
            self.report = report
        }

        /// What it takes of a chunk's bytes at most: 240 for its numbers and frames, and its texts.
        public var bytesAtMost: Int {
            let words = if case .rejected(let why) = report.outcome { why.utf8.count } else { 0 }
            return 240 + report.actor.address.utf8.count + words
        }
    }

    /// The cursor to ask with next.
    public let nextCursor: UInt32
    /// Whether nothing follows.
    public let isLast: Bool
    /// Of requests made up to then some may be forgotten, or not read yet; nil: all are here.
    public let completeSince: WallTime?
    /// The ends; none may be there, and more follow.
    public let outcomes: [PastOutcome]

    /// The chunk of those values.
    public init(nextCursor: UInt32, isLast: Bool, completeSince: WallTime?, outcomes: [PastOutcome]) {
        self.nextCursor = nextCursor
        self.isLast = isLast
        self.completeSince = completeSince
        self.outcomes = outcomes
    }
}
