import FleetProtocol

/// Takes over the entries of an earlier run, and decides which of the journal's segments are needed.
extension EndedRequests {
    /// Takes over the entries of an earlier run without moving them; of two with one key, the later counts.
    /// They are at the places up to `count`. A key is nil if its account no longer exists.
    mutating func adopt(
        _ entries: Pages<Entry>, count: Int, unreadUpTo: WallTime?, key: (_ place: Int) -> RequestKey?
    ) {
        precondition(places.isEmpty, "entries of an earlier run must be taken over first")
        (self.entries, self.unreadUpTo) = (entries, unreadUpTo)
        for index in 0..<count {
            let place = Pages<Entry>.Place(index)
            guard let key = key(index) else {
                self.entries.remove(at: place)
                continue
            }
            self.entries.update(place) { $0.account = key.account }
            segments.wrote(to: entries[place].segment)
            ages.recordEarlier(end: entries[place].endedAt)
            adopt(key, at: place)
        }
    }

    private mutating func adopt(_ key: RequestKey, at place: Pages<Entry>.Place) {
        let entry = entries[place]
        segments.remember(in: entry.segment)
        guard let former = self.place(of: key) else {
            places.insert(Int(place), of: key)
            return accounts.insert(key, as: entry.kind)
        }
        places.replace(Int(former), of: key, by: Int(place))
        if entries[former].kind == .tombstone, entry.kind == .outcome { accounts.turn(key) }
        segments.remove(in: entries[former].segment)
        entries.remove(at: former)
    }

    /// Adds an entry of an earlier run; an entry with the same key stays, unless it is a tombstone of this
    /// request.
    mutating func restore(_ entry: Entry, for key: RequestKey) {
        var entry = entry
        entry.account = key.account
        segments.wrote(to: entry.segment)
        guard let place = place(of: key) else { return put(entry, for: key) }
        if entries[place].kind == .tombstone, entry.kind == .outcome { meet(entry, for: key) }
    }

    /// Records that only outcomes with IDs up to that time are not read yet; nil for none.
    mutating func replayed(downTo time: WallTime?) { unreadUpTo = time }

    /// Whether the outcome of an unknown ID may be among those not read yet.
    func mayBeUnread(_ id: RequestID) -> Bool {
        guard let unreadUpTo, !planted(.unreadIsNew) else { return false }
        return id.time <= unreadUpTo
    }

    mutating func start(segments first: Int, _ newest: Int) {
        segments.start(at: Int32(clamping: first))
        segments.begin(Int32(clamping: newest))
    }

    mutating func began(segment: Int) { segments.begin(Int32(clamping: segment)) }

    /// Returns the first needed segment, if it has risen and all outcomes are read; nil otherwise.
    mutating func firstNeededSegment() -> Int? { unreadUpTo == nil ? segments.firstNeeded() : nil }

    /// Returns the next entries to copy to the newest segment, so that their old segments, which hold mostly
    /// removed entries, can be deleted.
    mutating func carryForward() -> [Entry] {
        guard unreadUpTo == nil else { return [] }
        let begun = segments.toBeEmptied(beyond: retention.removedInJournal).map { (upTo: $0, place: 0) }
        guard let (target, start) = carrying ?? begun else { return [] }
        var carried: [Entry] = []
        let end = min(entries.placeCount, start + Self.carrySlice)
        for index in start..<max(start, end) {
            let place = Pages<Entry>.Place(index)
            guard let entry = entries.element(at: place), entry.segment <= target else { continue }
            segments.remove(in: entry.segment)
            segments.wrote(to: segments.current)
            segments.remember(in: segments.current)
            entries.update(place) { $0.segment = segments.current }
            carried.append(entry)
        }
        carrying = end < entries.placeCount ? (target, end) : nil
        return carried
    }
}
