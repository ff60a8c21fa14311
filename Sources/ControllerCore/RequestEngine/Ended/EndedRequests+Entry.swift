import FleetProtocol
import FleetTime

extension EndedRequests {
    /// One that ended.
    struct Entry: Sendable {
        let report: OutcomeReport
        /// The request's content; nil for a tombstone: only a cancel of the id ever arrived.
        let content: RequestContent?
        let endedAt: WallTime
        /// Whose request it was.
        var account: AccountIndex = 0
        /// The segment of the journal that has it, or an earlier one.
        var segment: Int32 = 0
    }

    /// The later of two times, of those that there are.
    static func later(_ one: WallTime?, _ other: WallTime?) -> WallTime? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}

extension EndedRequests.Entry {
    /// Which of its account's quotas it counts for.
    var kind: EndedByAccount.Kind {
        @inline(__always) get { if case nil = content { .tombstone } else { .outcome } }
    }
}
