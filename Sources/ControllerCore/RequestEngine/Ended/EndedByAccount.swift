import FleetProtocol

/// The ended requests of each account, the oldest first, with its retention horizon.
struct EndedByAccount: Sendable {
    /// The kinds of ended requests; each has its own quota.
    enum Kind: Sendable {
        case outcome
        /// A cancel that arrived before its request.
        case tombstone
    }

    /// Keys in the order of their IDs' times.
    struct Queue: Sendable {
        fileprivate(set) var count = 0
        fileprivate var oldest = OldestFirst()

        /// The key with the oldest ID; nil for an empty queue.
        var min: RequestKey? { oldest.min }
    }

    struct Share: Sendable {
        fileprivate(set) var outcomes = Queue()
        fileprivate(set) var tombstones = Queue()
        /// The newest ID time among removed requests: an ID at or before it may have been used.
        fileprivate(set) var horizon: WallTime?
        /// Tombstones whose request has arrived and that are still in the queue.
        fileprivate var met: Set<RequestID> = []

        fileprivate mutating func change(_ kind: Kind, _ body: (inout Queue) -> Void) {
            switch kind {
            case .outcome: body(&outcomes)
            case .tombstone: body(&tombstones)
            }
        }
    }

    private let retention: ControllerConfiguration.Retention
    private var shares: [Share] = []
    private var outcomeHolders = 0
    private var tombstoneHolders = 0

    init(retention: ControllerConfiguration.Retention) { self.retention = retention }

    var count: Int { shares.count }

    /// The horizon of every account that has one, in the order of accounts.
    var horizons: [(account: AccountIndex, horizon: WallTime)] {
        shares.enumerated().compactMap { index, share in share.horizon.map { (AccountIndex(index), $0) } }
    }

    // Speed: see performance.md, "accessors".

    /// A time that the clock of an earlier run had at least reached; nil if unknown. Horizons were one
    /// retention behind that clock, and no ID was made after it.
    var earlierClock: WallTime? {
        if let horizon = shares.lazy.compactMap(\.horizon).max() {
            return horizon.advanced(by: retention.longest)
        }
        return shares.lazy.flatMap { [$0.outcomes.min, $0.tombstones.min] }.compactMap { $0?.id.time }.min()
    }

    /// The retention horizon of an account; nil before the first removal.
    func horizon(of account: AccountIndex) -> WallTime? {
        Int(account) < shares.count ? shares[Int(account)].horizon : nil
    }

    func has(_ account: AccountIndex) -> Bool {
        count(.outcome, of: account) + count(.tombstone, of: account) > 0
    }

    func count(_ kind: Kind, of account: AccountIndex) -> Int {
        guard Int(account) < shares.count else { return 0 }
        return switch kind {
        case .outcome: shares[Int(account)].outcomes.count
        case .tombstone: shares[Int(account)].tombstones.count
        }
    }

    func oldest(_ kind: Kind, of account: AccountIndex) -> RequestKey? {
        guard Int(account) < shares.count else { return nil }
        return switch kind {
        case .outcome: shares[Int(account)].outcomes.min
        case .tombstone: shares[Int(account)].tombstones.min
        }
    }

    /// Whether an account has used up its share of the capacity for outcomes.
    func isFull(_ account: AccountIndex) -> Bool {
        count(.outcome, of: account) >= retention.resultsAtMost / holders(with: account, of: .outcome)
    }

    /// The number of entries of a kind that an account may retain. All accounts together retain at most half
    /// of the capacity for outcomes. The other half is for outcomes that are too new to be removed.
    func quota(_ kind: Kind, of account: AccountIndex) -> Int {
        let holders = holders(with: account, of: kind)
        return switch kind {
        case .outcome: min(retention.results, retention.resultsAtMost / 2 / holders)
        case .tombstone: min(retention.tombstones, retention.tombstonesAtMost / holders)
        }
    }

    /// The number of accounts with entries of a kind, including the given account.
    private func holders(with account: AccountIndex, of kind: Kind) -> Int {
        let holders = kind == .outcome ? outcomeHolders : tombstoneHolders
        return count(kind, of: account) > 0 ? holders : holders + 1
    }

    mutating func insert(_ key: RequestKey, as kind: Kind) {
        makeRoom(for: key.account)
        var isFirst = false
        shares[Int(key.account)].change(kind) {
            $0.oldest.insert(key)
            $0.count += 1
            isFirst = $0.count == 1
        }
        if isFirst { changeHolders(of: kind, by: +1) }
    }

    mutating func turn(_ key: RequestKey) {
        shares[Int(key.account)].met.insert(key.id)
        removeOne(.tombstone, of: key.account)
        insert(key, as: .outcome)
        dropMet(of: key.account)
    }

    mutating func removeOldest(_ kind: Kind, of account: AccountIndex) {
        shares[Int(account)].change(kind) { $0.oldest.removeMin() }
        removeOne(kind, of: account)
        if kind == .tombstone { dropMet(of: account) }
    }

    mutating func raise(_ account: AccountIndex, to horizon: WallTime) {
        makeRoom(for: account)
        let former = shares[Int(account)].horizon
        shares[Int(account)].horizon = max(former ?? horizon, horizon)
    }

    /// Removes the horizon of a removed account, which must have no entries.
    mutating func remove(_ account: AccountIndex) {
        guard Int(account) < shares.count else { return }
        precondition(!has(account), "the account has entries")
        shares[Int(account)] = Share()
    }

    /// Removes tombstones whose request has arrived from the front of the queue.
    private mutating func dropMet(of account: AccountIndex) {
        while let key = shares[Int(account)].tombstones.min,
            shares[Int(account)].met.remove(key.id) != nil
        {
            shares[Int(account)].tombstones.oldest.removeMin()
        }
    }

    private mutating func makeRoom(for account: AccountIndex) {
        while shares.count <= Int(account) { shares.append(Share()) }
    }

    private mutating func removeOne(_ kind: Kind, of account: AccountIndex) {
        var isLast = false
        shares[Int(account)].change(kind) {
            $0.count -= 1
            isLast = $0.count == 0
        }
        if isLast { changeHolders(of: kind, by: -1) }
    }

    private mutating func changeHolders(of kind: Kind, by change: Int) {
        switch kind {
        case .outcome: outcomeHolders += change
        case .tombstone: tombstoneHolders += change
        }
    }
}

/// The numbers of written and of retained entries of ended requests in each segment of the journal. A segment
/// can be deleted when each of its entries is removed or has a copy in a later segment.
struct EndedBySegment: Sendable {
    private struct Counts: Sendable {
        var written = 0
        var remembered = 0
    }

    /// The newest segment, to which new entries are written.
    private(set) var current: Int32 = 1
    private var newest = Counts()
    private var earlier: [Int32: Counts] = [:]
    private var total = Counts()
    /// The segment that ``firstNeeded()`` last returned.
    private var firstReported: Int32 = 1
    /// Whether an earlier segment may no longer be needed.
    private var mayHaveRisen = false

    mutating func start(at first: Int32) { firstReported = max(firstReported, first) }

    mutating func begin(_ segment: Int32) {
        guard segment > current else { return }
        if newest.written > 0 { earlier[current] = newest }
        newest = earlier.removeValue(forKey: segment) ?? Counts()
        current = segment
        mayHaveRisen = true
    }

    /// Records that an entry was written to a segment, or read from it.
    @inline(__always)
    mutating func wrote(to segment: Int32) {
        change(segment) { $0.written += 1 }
        total.written += 1
    }

    /// Records that the newest copy of a retained entry is in a segment.
    @inline(__always)
    mutating func remember(in segment: Int32) {
        change(segment) { $0.remembered += 1 }
        total.remembered += 1
    }

    /// Records that an entry was removed, or has a newer copy elsewhere.
    @inline(__always)
    mutating func remove(in segment: Int32) {
        change(segment) { $0.remembered -= 1 }
        total.remembered -= 1
    }

    /// Returns the first segment that is needed; nil if it is the same as at the last call.
    mutating func firstNeeded() -> Int? {
        guard mayHaveRisen else { return nil }
        mayHaveRisen = false
        let first = earlier.lazy.filter { $0.value.remembered > 0 }.map(\.key).min() ?? current
        for (segment, counts) in earlier where segment < first {
            total.written -= counts.written
            earlier[segment] = nil
        }
        guard first > firstReported else { return nil }
        firstReported = first
        return Int(first)
    }

    /// Returns the last of the oldest segments that together hold half of all entries. Returns nil if the
    /// journal holds no more than `slack` removed entries in excess of the retained ones.
    func toBeEmptied(beyond slack: Int) -> Int32? {
        guard total.written > 2 * total.remembered + slack else { return nil }
        var written = 0
        for segment in earlier.keys.sorted() {
            written += earlier[segment]?.written ?? 0
            if 2 * written >= total.written { return segment }
        }
        return earlier.keys.max()
    }

    @inline(__always)
    private mutating func change(_ segment: Int32, _ change: (inout Counts) -> Void) {
        guard segment != current else { return change(&newest) }
        change(&earlier[segment, default: Counts()])
        mayHaveRisen = true
    }
}
