import FleetProtocol

/// The content of an account as it moves between cells: rows of the store, and records of the journal.
enum AccountContent {
    /// Why content cannot be taken.
    struct Unreadable: Error {}

    /// All that is copied while the account is frozen: the rows, the horizon, and the records that were not
    /// copied before.
    static func rest(
        rows: [UInt8], horizon: WallTime?, records: [UInt8], of account: AccountID
    ) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(UInt64(rows.count))
        var bytes = writer.bytes + rows
        writer.removeAll()
        if let horizon { writer.put(JournalEntry.horizonRaised(horizon, of: account)) }
        bytes += writer.bytes
        return bytes + records
    }

    /// The parts of what ``rest(rows:horizon:records:of:)`` returned.
    static func read(
        rest: [UInt8], of account: AccountID
    ) throws(Unreadable) -> (rows: [UInt8], entries: [JournalEntry]) {
        var reader = RecordReader(rest)
        guard let count = try? reader.read(UInt64.self), count <= UInt64(reader.bytesLeft) else {
            throw Unreadable()
        }
        let start = rest.count - reader.bytesLeft
        let end = start + Int(count)
        return (Array(rest[start..<end]), try entries(of: rest[end...], of: account))
    }

    /// Reads records; only ended requests and horizons of the account are accepted.
    static func entries(
        of bytes: ArraySlice<UInt8>, of account: AccountID
    ) throws(Unreadable) -> [JournalEntry] {
        var reader = RecordReader(bytes)
        var entries: [JournalEntry] = []
        while reader.bytesLeft > 0 {
            guard let entry = try? reader.read(JournalEntry.self), entry.account == account else {
                throw Unreadable()
            }
            entries.append(entry)
        }
        return entries
    }
}

extension JournalEntry {
    /// The account of an ended request or a horizon; nil for other entries.
    fileprivate var account: AccountID? {
        switch self {
        case .ended(let account, _, _, _): account
        case .horizonRaised(_, let account): account
        default: nil
        }
    }
}
