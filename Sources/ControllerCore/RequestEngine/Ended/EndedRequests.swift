import FleetProtocol

/// The outcomes of ended requests, with which repeats are answered, up to the retention horizon. Each account
/// has its own quota and horizon, so one account cannot displace the outcomes of another.
struct EndedRequests: Sendable {
    /// The maximum number of entries that one call of ``prune(at:)`` removes, to bound its time.
    private static let pruneSlice = 256
    /// The number of accounts that one call of ``prune(at:)`` visits.
    private static let accountsPerPrune = 8
    /// The number of places that one call of ``carryForward()`` scans.
    static let carrySlice = 256

    let retention: ControllerConfiguration.Retention
    let planted: Planting
    var entries = Pages<Entry>()
    var places = EndedPlaces()
    var accounts: EndedByAccount
    var segments = EndedBySegment()
    var ages = AgeClock()
    /// The horizon of all accounts: an ID at or before it may have been used.
    private var commonHorizon: WallTime?
    /// Outcomes with IDs up to this time may not have been read from the journal yet; nil once all are read.
    var unreadUpTo: WallTime?
    /// The account that ``prune(at:)`` visits next.
    private var nextAccount: AccountIndex = 0
    /// The progress of ``carryForward()``: the last segment to empty, and the next place to scan.
    var carrying: (upTo: Int32, place: Int)?

    init(retention: ControllerConfiguration.Retention, planted: Planting = Planting()) {
        (self.retention, self.planted) = (retention, planted)
        accounts = EndedByAccount(retention: retention)
    }

    var count: Int { places.count }
    subscript(key: RequestKey) -> Entry? { place(of: key).map { entries[$0] } }

    @inline(__always)
    func place(of key: RequestKey) -> Pages<Entry>.Place? {
        places.place(of: key) { place in
            entries.readIfPresent(place) { $0.report.requestID == key.id && $0.account == key.account }
                ?? false
        }.map { Pages<Entry>.Place($0) }
    }

    /// The number of places for entries, including empty places.
    var placeCount: Int { entries.placeCount }
    /// Whether an account has used up its share of the capacity for outcomes.
    func isFull(of account: AccountIndex) -> Bool { accounts.isFull(account) }

    func has(_ account: AccountIndex) -> Bool { accounts.has(account) }
    mutating func remove(_ account: AccountIndex) { accounts.remove(account) }

    /// Makes room for another tombstone of an account: at the quota, removes the oldest. Returns whether
    /// there is room, and the account's horizon if it rose.
    mutating func makeRoomForTombstone(
        of account: AccountIndex, at now: WallTime
    ) -> (isAvailable: Bool, horizon: WallTime?) {
        guard accounts.count(.tombstone, of: account) >= accounts.quota(.tombstone, of: account) else {
            return (true, nil)
        }
        guard unreadUpTo == nil,
            let (key, place) = oldestRemovable(.tombstone, of: account, for: 1, at: now)
        else { return (false, nil) }
        let before = accounts.horizon(of: account)
        remove(key, at: place, as: .tombstone)
        let horizon = accounts.horizon(of: account)
        return (true, horizon == before ? nil : horizon)
    }

    /// The time up to which requests may have been removed or not read yet; nil if all are known.
    func completeSince(of account: AccountIndex) -> WallTime? {
        Self.later(horizon(of: account), unreadUpTo)
    }

    /// The entry at a place; nil if it belongs to another account or ended before `time`.
    func entry(at place: Int, of account: AccountIndex, since time: WallTime) -> Entry? {
        guard let entry = entries.element(at: Pages<Entry>.Place(place)), entry.account == account,
            entry.endedAt >= time
        else { return nil }
        return entry
    }

    mutating func insert(_ entry: consuming Entry, for key: RequestKey) {
        record(&entry, of: key.account)
        put(entry, for: key)
    }

    /// Records that an entry is written to the newest segment.
    private mutating func record(_ entry: inout Entry, of account: AccountIndex) {
        (entry.account, entry.segment) = (account, segments.current)
        segments.wrote(to: segments.current)
    }

    mutating func put(_ entry: consuming Entry, for key: RequestKey) {
        // Speed: see performance.md, "copies".
        let (kind, segment) = (entry.kind, entry.segment)
        let former = place(of: key)
        // With a planted bug this may happen, and the ledger of the simulation must detect it.
        precondition(former == nil || Planting.isPossible, "request \(key.id) ended twice")
        if let former {
            places.replace(Int(former), of: key, by: Int(entries.insert(entry)))
        } else {
            places.insert(Int(entries.insert(entry)), of: key)
            accounts.insert(key, as: kind)
        }
        segments.remember(in: segment)
    }

    mutating func replaceTombstone(with entry: consuming Entry, for key: RequestKey) {
        record(&entry, of: key.account)
        meet(entry, for: key)
    }

    mutating func meet(_ entry: Entry, for key: RequestKey) {
        guard let place = place(of: key), entries[place].kind == .tombstone else {
            preconditionFailure("no tombstone of request \(key.id)")
        }
        accounts.turn(key)
        segments.remove(in: entries[place].segment)
        segments.remember(in: entry.segment)
        entries[place] = entry
    }

    // MARK: Horizons

    var horizons: [(account: AccountIndex, horizon: WallTime)] { accounts.horizons }
    var horizonOfAll: WallTime? { commonHorizon }

    /// Restores a horizon of an earlier run: an account's own, or that of all accounts for nil.
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

    /// How far an ID's time is behind its account's horizon; nil if it is later.
    func lag(of key: RequestKey) -> Duration? {
        guard let horizon = horizon(of: key.account), key.id.time <= horizon else { return nil }
        return key.id.time.duration(to: horizon)
    }

    // MARK: Retention

    /// Advances the age clock once all outcomes are read; called every second.
    mutating func age(to now: Moment) {
        if unreadUpTo == nil { ages.advance(to: now, from: accounts.earlierClock) }
    }

    /// Removes a slice of the entries that are too old or exceed a quota; returns the horizons that rose.
    /// Removes nothing until all outcomes are read, because those not read yet are older.
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
        while left > 0, let (key, place) = oldestRemovable(kind, of: account, at: now) {
            remove(key, at: place, as: kind)
            left -= 1
        }
    }

    private mutating func remove(
        _ key: RequestKey, at place: Pages<Entry>.Place, as kind: EndedByAccount.Kind
    ) {
        accounts.removeOldest(kind, of: key.account)
        segments.remove(in: entries.read(place) { $0.segment })
        places.remove(key)
        entries.remove(at: place)
        if !planted(.noHorizon) { accounts.raise(key.account, to: key.id.time) }
    }

    // Speed: see performance.md, "copies".
    /// The oldest entry of an account that may be removed now, with its place; nil without one.
    private mutating func oldestRemovable(
        _ kind: EndedByAccount.Kind, of account: AccountIndex, for more: Int = 0, at now: WallTime
    ) -> (key: RequestKey, place: Pages<Entry>.Place)? {
        guard let key = accounts.oldest(kind, of: account),
            key.id.time.duration(to: now) >= retention.shortest, let place = place(of: key)
        else { return nil }
        let endedAt = entries.read(place) { $0.endedAt }
        guard endedAt.duration(to: now) >= retention.shortest else { return nil }
        let isBeyond = accounts.count(kind, of: account) + more > accounts.quota(kind, of: account)
        return isBeyond || ages.isAfter(endedAt, by: retention.longest) ? (key, place) : nil
    }
}

/// A slowed wall clock that measures the age of outcomes for retention. It is never ahead of the wall clock,
/// and catches up with it at twice real time at most. So a step of the wall clock cannot make all outcomes a
/// day older at once, and a retention of a day lasts at least half a day.
struct AgeClock: Sendable {
    /// The current reading; nil before the first advance.
    private(set) var shown: WallTime?
    private var readAt = MonotonicTime.zero
    /// The time of the newest outcome of an earlier run; that run's clock was barely later.
    private var newestEnd: WallTime?

    func isAfter(_ time: WallTime, by age: Duration) -> Bool {
        guard let shown else { return false }
        return time.duration(to: shown) >= age
    }

    mutating func recordEarlier(end: WallTime) { newestEnd = max(newestEnd ?? end, end) }

    /// Reads the wall clock, each second, as the time between two readings counts twice. The clock of an
    /// earlier run had at least reached `former`.
    mutating func advance(to now: Moment, from former: WallTime?) {
        let start = shown ?? min(former ?? now.wall, newestEnd ?? now.wall)
        let passed = shown == nil ? .zero : readAt.duration(to: now.monotonic)
        (shown, readAt) = (min(now.wall, start.advanced(by: passed * 2)), now.monotonic)
    }
}
