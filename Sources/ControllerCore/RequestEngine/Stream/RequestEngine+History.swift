import FleetProtocol
import Stepping

/// What ended before somebody came, from what is remembered of requests anyway.
extension RequestEngine {
    /// Places looked at for one chunk at most, whoever's requests they are of.
    private static let placesPerChunk = 16_384

    /// Some of an account's requests that ended in the last while.
    ///
    /// A cursor is a place among what ended. One that is forgotten meanwhile may give its place to another,
    /// so a request that ends while somebody asks may be missing here; whoever watches hears of it.
    func history(
        of account: AccountIndex, back: Duration, from cursor: UInt32, at now: Moment
    ) -> HistoryChunk {
        let since = now.wall.advanced(by: .zero - back)
        let start = min(Int(cursor), ended.placeCount)
        let end = min(ended.placeCount, start + Self.placesPerChunk)
        var outcomes: [HistoryChunk.PastOutcome] = []
        var bytesLeft = Limits.chunkBytes - SnapshotChunk.frameBytesAtMost
        for place in start..<end {
            guard let entry = ended.entry(at: place, of: account, since: since) else { continue }
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
            nextCursor: UInt32(next), isLast: next >= ended.placeCount,
            completeSince: ended.completeSince(of: account), outcomes: outcomes)
    }
}
