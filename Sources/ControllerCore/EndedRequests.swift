import FleetProtocol
import Stepping

/// What became of requests: remembered so that a repeat gets the first answer, forgotten behind a horizon.
struct EndedRequests: Sendable {
    /// One that ended.
    struct Entry: Sendable {
        let report: OutcomeReport
        /// What was asked; nil where only a cancel of the id ever arrived.
        let content: RequestContent?
        let endedAt: WallTime
    }

    /// Entries that one call of ``prune(at:)`` forgets at most, so that it never holds up the loop.
    private static let pruneSlice = 256

    private let retention: ControllerConfiguration.Retention
    private let planted: Planting
    private var entries = Pages<Entry>()
    private var places = ShardedDictionary<RequestKey, Pages<Entry>.Place>()
    private var oldest = OldestFirst()
    /// The newest id time ever forgotten: an id at or before it may have been seen.
    private(set) var horizon: WallTime?
    /// An id up to this time may be among those that are still to be recalled; nil when all are here.
    private(set) var unreadUpTo: WallTime?

    init(retention: ControllerConfiguration.Retention, planted: Planting = Planting()) {
        self.retention = retention
        self.planted = planted
    }

    /// How many are remembered.
    var count: Int { places.count }

    /// Whether there is no room for another.
    var isFull: Bool { count >= retention.resultsAtMost }

    subscript(key: RequestKey) -> Entry? { places[key].map { entries[$0] } }

    /// How many places there are for entries, those where nothing is included.
    var placeCount: Int { entries.placeCount }

    /// Of requests made up to that time some may be forgotten, or are still to be recalled; nil: of none.
    var completeSince: WallTime? { [horizon, unreadUpTo].compactMap { $0 }.max() }

    /// The entry at a place, if it is of that account and ended at that time or later.
    func entry(at place: Int, of account: AccountIndex, since time: WallTime) -> Entry? {
        let place = Pages<Entry>.Place(place)
        guard let entry = entries.element(at: place), entry.endedAt >= time else { return nil }
        return places[RequestKey(account: account, id: entry.report.requestID)] == place ? entry : nil
    }

    mutating func insert(_ entry: Entry, for key: RequestKey) {
        let former = places.updateValue(entries.insert(entry), forKey: key)
        precondition(former == nil, "request \(key.id) ended twice")
        oldest.insert(key)
    }

    /// Puts the end of a request in the place of the tombstone that it has met.
    mutating func replaceTombstone(with entry: Entry, for key: RequestKey) {
        guard let place = places[key], entries[place].content == nil else {
            preconditionFailure("no tombstone of request \(key.id)")
        }
        entries[place] = entry
    }

    /// Takes over what an earlier life remembered, without moving it; where a key is there twice, the later
    /// entry counts.
    ///
    /// - Parameters:
    ///   - entries: At the places from 0 on, as many as `count` says.
    ///   - key: Whose the entry at a place is; nil where it is nobody's any more.
    ///   - unreadUpTo: The newest id of those that are to be recalled; nil: there are none.
    mutating func takeOver(
        _ entries: Pages<Entry>, count: Int, unreadUpTo: WallTime?, key: (_ place: Int) -> RequestKey?
    ) {
        precondition(places.isEmpty, "requests had ended before those of an earlier life were taken over")
        self.entries = entries
        self.unreadUpTo = unreadUpTo
        places.reserveCapacity(count)
        for index in 0..<count {
            let place = Pages<Entry>.Place(index)
            guard let key = key(index) else {
                self.entries.remove(at: place)
                continue
            }
            if let former = places.updateValue(place, forKey: key) {
                self.entries.remove(at: former)
            } else {
                oldest.insert(key)
            }
        }
    }

    /// Takes in an entry of an earlier life; one that is here stays, unless it is a tombstone that this one
    /// has met.
    mutating func recall(_ entry: Entry, for key: RequestKey) {
        guard let place = places[key] else { return insert(entry, for: key) }
        if entries[place].content == nil, entry.content != nil { replaceTombstone(with: entry, for: key) }
    }

    /// Only ids up to that time are still to be recalled; nil: none.
    mutating func recalled(downTo time: WallTime?) {
        unreadUpTo = time
    }

    /// Whether an id that is not here may be among those that are still to be recalled.
    func mayBeUnread(_ id: RequestID) -> Bool {
        guard let unreadUpTo, !planted(.unreadIsNew) else { return false }
        return id.time <= unreadUpTo
    }

    /// Takes over the horizon of an earlier life.
    mutating func raise(to horizon: WallTime) {
        self.horizon = max(self.horizon ?? horizon, horizon)
    }

    /// How far an id's time is behind the horizon; nil when it is not.
    func lag(of id: RequestID) -> Duration? {
        guard let horizon, id.time <= horizon else { return nil }
        return id.time.duration(to: horizon)
    }

    /// Forgets a slice of what is old enough; returns the horizon when it rose.
    ///
    /// Nothing while some are still to be recalled: those are older.
    mutating func prune(at now: WallTime) -> WallTime? {
        guard unreadUpTo == nil else { return nil }
        let before = horizon
        for _ in 0..<Self.pruneSlice {
            guard let key = oldest.min, key.id.time.duration(to: now) >= retention.shortest,
                let place = places[key], mayForget(entries[place], at: now)
            else { break }
            oldest.removeMin()
            places.removeValue(forKey: key)
            entries.remove(at: place)
            if !planted(.noHorizon) { horizon = max(horizon ?? key.id.time, key.id.time) }
        }
        return horizon == before ? nil : horizon
    }

    private func mayForget(_ entry: Entry, at now: WallTime) -> Bool {
        let sinceEnd = entry.endedAt.duration(to: now)
        guard sinceEnd >= retention.shortest else { return false }
        return count > retention.results || sinceEnd >= retention.longest
    }
}
