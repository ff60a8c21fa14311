import FleetProtocol
import FleetTime

/// Which ended requests each account has, the oldest first, and how far it has forgotten.
struct EndedByAccount: Sendable {
    /// What an account has a quota of.
    enum Kind: Sendable {
        /// A request's end.
        case outcome
        /// A cancel whose request has not come.
        case tombstone
    }

    /// Keys in the order of their ids' times.
    struct Queue: Sendable {
        fileprivate(set) var count = 0
        fileprivate var oldest = OldestFirst()

        /// The key with the oldest id; nil for an empty queue.
        var min: RequestKey? { oldest.min }
    }

    /// What one account has.
    struct Share: Sendable {
        fileprivate(set) var outcomes = Queue()
        fileprivate(set) var tombstones = Queue()
        /// The newest id time ever forgotten: an id at or before it may have been seen.
        fileprivate(set) var horizon: WallTime?
        /// Tombstones that have met their request and are still in the queue.
        fileprivate var met: Set<RequestID> = []

        /// Changes one of the queues in place.
        fileprivate mutating func change(_ kind: Kind, _ body: (inout Queue) -> Void) {
            switch kind {
            case .outcome: body(&outcomes)
            case .tombstone: body(&tombstones)
            }
        }
    }

    private let retention: ControllerConfiguration.Retention
    private var shares: [Share] = []
    /// How many accounts have some.
    private var outcomeHolders = 0
    private var tombstoneHolders = 0

    init(retention: ControllerConfiguration.Retention) {
        self.retention = retention
    }

    /// How many accounts there are.
    var count: Int { shares.count }

    /// The horizon of every account that has one, in their order.
    var horizons: [(account: AccountIndex, horizon: WallTime)] {
        shares.enumerated().compactMap { index, share in share.horizon.map { (AccountIndex(index), $0) } }
    }

    // Functions and no subscripts with accessors that yield: a call of those takes an allocation.

    /// Where the clock of an earlier life had come to at least: horizons were one retention behind it, and no
    /// id was made after it; nil where nothing is known of one.
    var earlierClock: WallTime? {
        if let horizon = shares.lazy.compactMap(\.horizon).max() {
            return horizon.advanced(by: retention.longest)
        }
        return shares.lazy.flatMap { [$0.outcomes.min, $0.tombstones.min] }.compactMap { $0?.id.time }.min()
    }

    /// How far an account has forgotten; nil when it has not.
    func horizon(of account: AccountIndex) -> WallTime? {
        Int(account) < shares.count ? shares[Int(account)].horizon : nil
    }

    /// Whether an account has any, of whatever kind.
    func has(_ account: AccountIndex) -> Bool {
        count(.outcome, of: account) + count(.tombstone, of: account) > 0
    }

    /// How many of a kind an account has.
    func count(_ kind: Kind, of account: AccountIndex) -> Int {
        guard Int(account) < shares.count else { return 0 }
        return switch kind {
        case .outcome: shares[Int(account)].outcomes.count
        case .tombstone: shares[Int(account)].tombstones.count
        }
    }

    /// The key with the oldest id of a kind that an account has, if any.
    func oldest(_ kind: Kind, of account: AccountIndex) -> RequestKey? {
        guard Int(account) < shares.count else { return nil }
        return switch kind {
        case .outcome: shares[Int(account)].outcomes.min
        case .tombstone: shares[Int(account)].tombstones.min
        }
    }

    /// Whether an account has its share of all the room there is.
    func isFull(_ account: AccountIndex) -> Bool {
        count(.outcome, of: account) >= retention.resultsAtMost / holders(with: account, of: .outcome)
    }

    /// How many of a kind stay of an account: what retention says, while all accounts that have some take
    /// half of the room together; the other half is for those that are too new to go.
    func quota(_ kind: Kind, of account: AccountIndex) -> Int {
        let holders = holders(with: account, of: kind)
        return switch kind {
        case .outcome: min(retention.results, retention.resultsAtMost / 2 / holders)
        case .tombstone: min(retention.tombstones, retention.tombstonesAtMost / holders)
        }
    }

    /// How many accounts have some of a kind, with an account that may come to them.
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

    /// A tombstone is the end of a request from now on.
    mutating func turn(_ key: RequestKey) {
        shares[Int(key.account)].met.insert(key.id)
        removeOne(.tombstone, of: key.account)
        insert(key, as: .outcome)
        dropMet(of: key.account)
    }

    /// Takes out the oldest of an account.
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

    /// Forgets how far an account without any had forgotten: it is gone.
    mutating func forget(_ account: AccountIndex) {
        guard Int(account) < shares.count else { return }
        precondition(!has(account), "some are there")
        shares[Int(account)] = Share()
    }

    /// Drops tombstones that have met their request from the front of the queue.
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

/// How many ends each segment of the journal has, and how many of them are remembered.
///
/// A segment can be deleted when each of its ends is forgotten, or written to a later segment as well.
struct EndedBySegment: Sendable {
    private struct Counts: Sendable {
        var written = 0
        var remembered = 0
    }

    /// The newest segment: what ends now is written there, or to a later one.
    private(set) var current: Int32 = 1
    private var newest = Counts()
    private var earlier: [Int32: Counts] = [:]
    /// Over all segments that are there.
    private var total = Counts()
    /// The first needed segment, by the last call of ``firstNeeded()``.
    private var firstTold: Int32 = 1
    /// Whether an earlier segment may be needed no more.
    private var mayHaveRisen = false

    /// Segments before that one are gone.
    mutating func start(at first: Int32) {
        firstTold = max(firstTold, first)
    }

    /// That segment is the newest from now on.
    mutating func begin(_ segment: Int32) {
        guard segment > current else { return }
        if newest.written > 0 { earlier[current] = newest }
        newest = earlier.removeValue(forKey: segment) ?? Counts()
        current = segment
        mayHaveRisen = true
    }

    /// An end is written to a segment, or was read there.
    @inline(__always)
    mutating func wrote(to segment: Int32) {
        change(segment) { $0.written += 1 }
        total.written += 1
    }

    /// A remembered end has its newest copy in a segment.
    @inline(__always)
    mutating func remember(in segment: Int32) {
        change(segment) { $0.remembered += 1 }
        total.remembered += 1
    }

    /// An end is forgotten, or has a newer copy elsewhere.
    @inline(__always)
    mutating func forget(in segment: Int32) {
        change(segment) { $0.remembered -= 1 }
        total.remembered -= 1
    }

    /// The first segment that is needed, if that is another than when it was asked for last.
    mutating func firstNeeded() -> Int? {
        guard mayHaveRisen else { return nil }
        mayHaveRisen = false
        let first = earlier.lazy.filter { $0.value.remembered > 0 }.map(\.key).min() ?? current
        for (segment, counts) in earlier where segment < first {
            total.written -= counts.written
            earlier[segment] = nil
        }
        guard first > firstTold else { return nil }
        firstTold = first
        return Int(first)
    }

    /// The last of those earlier segments that have half of all ends, where forgotten ones are too many.
    ///
    /// - Parameter slack: How many there may be beyond as many as are remembered.
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
