import FleetProtocol

/// Ended requests of an account that moves to another cell.
extension EndedRequests {
    /// The number of places that one call of ``slice(of:from:where:)`` looks at.
    private static let placesPerSlice = 16_384
    private static let recordBytesAtMost = 2_048

    /// The requests of an account that have ended, without tombstones.
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
