import FleetProtocol

/// Earlier outcomes for new observers.
extension EndedRequests {
    /// The number of table places scanned for one chunk, over all accounts.
    private static let requestsPerChunk = 16_384

    /// Returns a chunk of an account's outcomes from the last `back`. The cursor is a place in the table of
    /// ended requests. A removed outcome frees its place for a new one, so paging may miss a request that
    /// ends in between; observers receive it from the stream.
    func history(
        of account: AccountIndex, back: Duration, from cursor: UInt32, at now: Moment
    ) -> HistoryChunk {
        let since = now.wall.advanced(by: .zero - back)
        let start = min(Int(cursor), placeCount)
        let end = min(placeCount, start + Self.requestsPerChunk)
        var outcomes: [HistoryChunk.PastOutcome] = []
        var bytesLeft = Limits.chunkBytes - SnapshotChunk.frameBytesAtMost
        for place in start..<end {
            guard let entry = entry(at: place, of: account, since: since) else { continue }
            let outcome = HistoryChunk.PastOutcome(endedAt: entry.endedAt, report: entry.report)
            bytesLeft -= outcome.bytesAtMost
            guard bytesLeft >= 0 else { return historyChunk(outcomes, next: place, of: account) }
            outcomes.append(outcome)
        }
        return historyChunk(outcomes, next: end, of: account)
    }

    private func historyChunk(
        _ outcomes: [HistoryChunk.PastOutcome], next: Int, of account: AccountIndex
    ) -> HistoryChunk {
        HistoryChunk(
            nextCursor: UInt32(next), isLast: next >= placeCount,
            completeSince: completeSince(of: account), outcomes: outcomes)
    }
}

extension EndedRequests {
    struct Entry: Sendable {
        let report: OutcomeReport
        /// The request's content; nil for a tombstone, because only the cancel has arrived.
        let content: RequestContent?
        let endedAt: WallTime
        /// Whether its device may have judged it: it was dispatched, or ended in an earlier run.
        let mayBeJudged: Bool
        var account: AccountIndex = 0
        /// The journal segment with the entry's newest copy, or an earlier segment.
        var segment: Int32 = 0
    }

    /// The later of two times, ignoring nil.
    static func later(_ one: WallTime?, _ other: WallTime?) -> WallTime? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}

extension EndedRequests.Entry {
    /// The quota of the account that the entry counts towards.
    var kind: EndedByAccount.Kind {
        @inline(__always) get { if case nil = content { .tombstone } else { .outcome } }
    }
}

/// Ended requests of an account that moves to another cell.
extension EndedRequests {
    /// The number of places that one call of ``slice(of:from:where:)`` looks at.
    private static let placesPerSlice = 16_384
    private static let recordBytesAtMost = 2_048

    func outcomes(of account: AccountIndex) -> Set<RequestID> {
        var outcomes: Set<RequestID> = []
        for place in 0..<placeCount {
            guard let entry = entries.element(at: Pages<Entry>.Place(place)), entry.account == account,
                entry.kind == .outcome
            else { continue }
            outcomes.insert(entry.report.requestID)
        }
        return outcomes
    }

    /// Returns records of an account's entries from a place on, as many as fit into one message of a move,
    /// and the next place.
    func records(
        of account: AccountIndex, named id: AccountID, from start: Int, where isWanted: (Entry) -> Bool
    ) -> (bytes: [UInt8], next: Int) {
        var writer = RecordWriter()
        var place = min(start, placeCount)
        let end = min(placeCount, place + Self.placesPerSlice)
        while place < end, writer.bytes.count <= Limits.moveContentBytes - Self.recordBytesAtMost {
            if let entry = entries.element(at: Pages<Entry>.Place(place)), entry.account == account,
                isWanted(entry)
            {
                writer.put(JournalEntry.ended(id, entry.report, content: entry.content, at: entry.endedAt))
            }
            place += 1
        }
        return (writer.bytes, place)
    }
}
