import FleetProtocol
import FleetTime
import PlantedBugs

/// What became of requests: remembered so that a repeat gets the first answer, forgotten behind a horizon.
///
/// Each account has its own quota and its own horizon: what one does is never forgotten for another's sake.
struct EndedRequests: Sendable {
    /// Entries that one call of ``prune(at:)`` forgets at most, so that it never holds up the loop.
    private static let pruneSlice = 256
    /// Accounts that one call looks at.
    private static let accountsPerPrune = 8
    /// Places that one call of ``carryForward()`` looks at.
    private static let carrySlice = 256

    private let retention: ControllerConfiguration.Retention
    private let planted: Planting
    private var entries = Pages<Entry>()
    private var places = ShardedDictionary<RequestKey, Pages<Entry>.Place>()
    private var accounts: EndedByAccount
    private var segments = EndedBySegment()
    private(set) var ages = AgeClock()
    /// An id at or before it may have been seen, whosever it is.
    private var commonHorizon: WallTime?
    /// An id up to this time may be among those that are still to be recalled; nil when all are here.
    private(set) var unreadUpTo: WallTime?
    /// The account that is looked at next.
    private var nextAccount: AccountIndex = 0
    /// The progress of writing entries again: those of segments up to that one, from that place on.
    private var carrying: (upTo: Int32, place: Int)?

    init(retention: ControllerConfiguration.Retention, planted: Planting = Planting()) {
        self.retention = retention
        self.planted = planted
        accounts = EndedByAccount(retention: retention)
    }

    /// How many are remembered.
    var count: Int { places.count }
    subscript(key: RequestKey) -> Entry? { places[key].map { entries[$0] } }

    /// How many places there are for entries, those where nothing is included.
    var placeCount: Int { entries.placeCount }
    /// Whether an account has its share of the room for ends of requests.
    func isFull(of account: AccountIndex) -> Bool { accounts.isFull(account) }

    /// Whether an account has any.
    func has(_ account: AccountIndex) -> Bool { accounts.has(account) }
    mutating func forget(_ account: AccountIndex) { accounts.forget(account) }

    /// Makes room for another tombstone of an account: where it has as many as it may, its oldest goes.
    ///
    /// - Returns: Whether there is room, and the account's horizon where that rose.
    mutating func makeRoomForTombstone(
        of account: AccountIndex, at now: WallTime
    ) -> (isThere: Bool, horizon: WallTime?) {
        guard accounts.count(.tombstone, of: account) >= accounts.quota(.tombstone, of: account) else {
            return (true, nil)
        }
        guard unreadUpTo == nil, let key = oldestForgettable(.tombstone, of: account, for: 1, at: now) else {
            return (false, nil)
        }
        let before = accounts.horizon(of: account)
        forget(key, as: .tombstone)
        let horizon = accounts.horizon(of: account)
        return (true, horizon == before ? nil : horizon)
    }

    /// Of requests made up to that time some may be forgotten, or are still to be recalled; nil: of none.
    func completeSince(of account: AccountIndex) -> WallTime? {
        Self.later(horizon(of: account), unreadUpTo)
    }

    /// The entry at a place, if it is of that account and ended at that time or later.
    func entry(at place: Int, of account: AccountIndex, since time: WallTime) -> Entry? {
        guard let entry = entries.element(at: Pages<Entry>.Place(place)), entry.account == account,
            entry.endedAt >= time
        else { return nil }
        return entry
    }

    mutating func insert(_ entry: consuming Entry, for key: RequestKey) {
        note(&entry, of: key.account)
        put(entry, for: key)
    }

    /// An entry is written to the newest segment.
    private mutating func note(_ entry: inout Entry, of account: AccountIndex) {
        (entry.account, entry.segment) = (account, segments.current)
        segments.wrote(to: segments.current)
    }

    private mutating func put(_ entry: consuming Entry, for key: RequestKey) {
        // What is asked of it first spares a copy.
        let (kind, segment) = (entry.kind, entry.segment)
        let former = places.updateValue(entries.insert(entry), forKey: key)
        // Where a simulation plants a mistake, its ledger finds that out.
        precondition(former == nil || Planting.isPossible, "request \(key.id) ended twice")
        if former == nil { accounts.insert(key, as: kind) }
        segments.remember(in: segment)
    }

    /// Puts the end of a request in the place of the tombstone that it has met.
    mutating func replaceTombstone(with entry: consuming Entry, for key: RequestKey) {
        note(&entry, of: key.account)
        meet(entry, for: key)
    }

    private mutating func meet(_ entry: Entry, for key: RequestKey) {
        guard let place = places[key], entries[place].kind == .tombstone else {
            preconditionFailure("no tombstone of request \(key.id)")
        }
        accounts.turn(key)
        segments.forget(in: entries[place].segment)
        segments.remember(in: entry.segment)
        entries[place] = entry
    }

    // MARK: Horizons

    /// The horizon of every account that has one of its own, in their order.
    var horizons: [(account: AccountIndex, horizon: WallTime)] { accounts.horizons }

    /// The horizon of all accounts; nil before there is one.
    var horizonOfAll: WallTime? { commonHorizon }

    /// Takes over a horizon of an earlier life: an account's own, or that of all.
    mutating func raise(_ account: AccountIndex?, to horizon: WallTime) {
        if let account {
            accounts.raise(account, to: horizon)
        } else {
            commonHorizon = max(commonHorizon ?? horizon, horizon)
        }
    }

    private func horizon(of account: AccountIndex) -> WallTime? {
        Self.later(commonHorizon, accounts.horizon(of: account))
    }

    /// How far an id's time is behind its account's horizon; nil when it is not.
    func lag(of key: RequestKey) -> Duration? {
        guard let horizon = horizon(of: key.account), key.id.time <= horizon else { return nil }
        return key.id.time.duration(to: horizon)
    }

    // MARK: Forgetting

    /// Counts ages to a moment, every second, once all are recalled.
    mutating func age(to now: Moment) {
        if unreadUpTo == nil { ages.advance(to: now, from: accounts.earlierClock) }
    }

    /// Forgets a slice of what is old enough, or beyond an account's quota; returns the horizons that rose.
    ///
    /// Nothing while some are still to be recalled: those are older.
    mutating func prune(at now: WallTime) -> [(account: AccountIndex, horizon: WallTime)] {
        guard unreadUpTo == nil else { return [] }
        var (left, raised) = (Self.pruneSlice, [(account: AccountIndex, horizon: WallTime)]())
        for _ in 0..<min(accounts.count, Self.accountsPerPrune) where left > 0 {
            let account = nextAccount
            nextAccount = (account + 1) % AccountIndex(accounts.count)
            let before = accounts.horizon(of: account)
            prune(.outcome, of: account, at: now, left: &left)
            prune(.tombstone, of: account, at: now, left: &left)
            if let horizon = accounts.horizon(of: account), horizon != before {
                raised.append((account, horizon))
            }
        }
        return raised
    }

    private mutating func prune(
        _ kind: EndedByAccount.Kind, of account: AccountIndex, at now: WallTime, left: inout Int
    ) {
        while left > 0, let key = oldestForgettable(kind, of: account, at: now) {
            forget(key, as: kind)
            left -= 1
        }
    }

    private mutating func forget(_ key: RequestKey, as kind: EndedByAccount.Kind) {
        guard let place = places[key] else { preconditionFailure("request \(key.id) is in no place") }
        accounts.removeOldest(kind, of: key.account)
        segments.forget(in: entries[place].segment)
        places.removeValue(forKey: key)
        entries.remove(at: place)
        if !planted(.noHorizon) { accounts.raise(key.account, to: key.id.time) }
    }

    /// The oldest of an account that may be forgotten now, if any.
    ///
    /// - Parameter more: How many shall come to those that there are.
    private func oldestForgettable(
        _ kind: EndedByAccount.Kind, of account: AccountIndex, for more: Int = 0, at now: WallTime
    ) -> RequestKey? {
        guard let key = accounts.oldest(kind, of: account),
            key.id.time.duration(to: now) >= retention.shortest, let place = places[key]
        else { return nil }
        let endedAt = entries[place].endedAt
        guard endedAt.duration(to: now) >= retention.shortest else { return nil }
        let isBeyond = accounts.count(kind, of: account) + more > accounts.quota(kind, of: account)
        return isBeyond || ages.isAfter(endedAt, by: retention.longest) ? key : nil
    }
}

// MARK: - An earlier life

extension EndedRequests {
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
            self.entries.update(place) { $0.account = key.account }
            segments.wrote(to: entries[place].segment)
            ages.noteEarlier(end: entries[place].endedAt)
            takeOver(key, at: place)
        }
    }

    private mutating func takeOver(_ key: RequestKey, at place: Pages<Entry>.Place) {
        let entry = entries[place]
        segments.remember(in: entry.segment)
        guard let former = places.updateValue(place, forKey: key) else {
            return accounts.insert(key, as: entry.kind)
        }
        if entries[former].kind == .tombstone, entry.kind == .outcome { accounts.turn(key) }
        segments.forget(in: entries[former].segment)
        entries.remove(at: former)
    }

    /// Takes in an entry of an earlier life; one that is here stays, unless it is a tombstone that this one
    /// has met.
    mutating func recall(_ entry: Entry, for key: RequestKey) {
        var entry = entry
        entry.account = key.account
        segments.wrote(to: entry.segment)
        guard let place = places[key] else { return put(entry, for: key) }
        if entries[place].kind == .tombstone, entry.kind == .outcome { meet(entry, for: key) }
    }

    /// Only ids up to that time are still to be recalled; nil: none.
    mutating func recalled(downTo time: WallTime?) { unreadUpTo = time }

    /// Whether an id that is not here may be among those that are still to be recalled.
    func mayBeUnread(_ id: RequestID) -> Bool {
        guard let unreadUpTo, !planted(.unreadIsNew) else { return false }
        return id.time <= unreadUpTo
    }

    // MARK: The journal

    /// The journal begins with one segment, and another is its newest.
    mutating func start(segments first: Int, _ newest: Int) {
        segments.start(at: Int32(clamping: first))
        segments.begin(Int32(clamping: newest))
    }

    /// The journal's newest segment is that one from now on.
    mutating func began(segment: Int) { segments.begin(Int32(clamping: segment)) }

    /// The first segment with needed ends, where that has risen and all ends are here.
    mutating func firstNeededSegment() -> Int? { unreadUpTo == nil ? segments.firstNeeded() : nil }

    /// The next ends to write to the newest segment as well, because their old segments have mostly forgotten
    /// ones and can then be deleted.
    mutating func carryForward() -> [Entry] {
        guard unreadUpTo == nil else { return [] }
        let begun = segments.toBeEmptied(beyond: retention.forgottenInJournal).map { (upTo: $0, place: 0) }
        guard let (target, start) = carrying ?? begun else { return [] }
        var carried: [Entry] = []
        let end = min(entries.placeCount, start + Self.carrySlice)
        for index in start..<max(start, end) {
            let place = Pages<Entry>.Place(index)
            guard let entry = entries.element(at: place), entry.segment <= target else { continue }
            segments.forget(in: entry.segment)
            segments.wrote(to: segments.current)
            segments.remember(in: segments.current)
            entries.update(place) { $0.segment = segments.current }
            carried.append(entry)
        }
        carrying = end < entries.placeCount ? (target, end) : nil
        return carried
    }
}
