import Stepping

extension HistoryChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (nextCursor, isLast, completeSince) = (UInt32(0), false, Int64(0))
        var outcomes: [PastOutcome] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&nextCursor)
            case 2: try fields.read(&isLast)
            case 3: try fields.read(&completeSince)
            case 4: try fields.read(&outcomes)
            default: break
            }
        }
        self.init(
            nextCursor: nextCursor, isLast: isLast,
            completeSince: completeSince == 0 ? nil : WallTime(wireMilliseconds: completeSince),
            outcomes: outcomes)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, nextCursor)
        fields.put(2, isLast)
        fields.put(3, completeSince?.unixMilliseconds ?? 0)
        for outcome in outcomes { fields.put(4, outcome) }
    }
}

extension HistoryChunk.PastOutcome: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (endedAt, report) = (Int64(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&endedAt)
            case 2: try fields.read(&report)
            default: break
            }
        }
        guard let report else { throw .missing("outcomes.report") }
        self.init(
            endedAt: WallTime(wireMilliseconds: endedAt), report: try OutcomeReport(wire: report))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, endedAt.unixMilliseconds)
        fields.put(2, report)
    }
}

/// How far back somebody looks, and from where on.
struct HistoryPull: WireFields {
    let back: Duration
    let cursor: UInt32

    init(back: Duration, cursor: UInt32) {
        self.back = back
        self.cursor = cursor
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (backMs, cursor) = (UInt64(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&backMs)
            case 2: try fields.read(&cursor)
            default: break
            }
        }
        guard backMs > 0, let milliseconds = Int64(exactly: backMs),
            milliseconds <= Limits.longestHistory.wholeMilliseconds
        else { throw .malformed("history.back_ms", "1 ms to \(Limits.longestHistory.wholeMilliseconds) ms") }
        self.init(back: .milliseconds(milliseconds), cursor: cursor)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, UInt64(back.wholeMilliseconds))
        fields.put(2, cursor)
    }
}
