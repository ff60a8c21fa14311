import FleetProtocol
import Stepping

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

        subscript(kind: Kind) -> Queue {
            _read {
                switch kind {
                case .outcome: yield outcomes
                case .tombstone: yield tombstones
                }
            }
            _modify {
                switch kind {
                case .outcome: yield &outcomes
                case .tombstone: yield &tombstones
                }
            }
        }
    }

    private static let nothing = Share()

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

    subscript(account: AccountIndex) -> Share {
        _read {
            if Int(account) < shares.count { yield shares[Int(account)] } else { yield Self.nothing }
        }
    }

    /// Whether an account has its share of all the room there is.
    func isFull(_ account: AccountIndex) -> Bool {
        self[account].outcomes.count >= retention.resultsAtMost / holders(with: account, of: .outcome)
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
        return self[account][kind].count > 0 ? holders : holders + 1
    }

    mutating func insert(_ key: RequestKey, as kind: Kind) {
        makeRoom(for: key.account)
        shares[Int(key.account)][kind].oldest.insert(key)
        count(key.account, kind, by: +1)
    }

    /// A tombstone is the end of a request from now on.
    mutating func turn(_ key: RequestKey) {
        shares[Int(key.account)].met.insert(key.id)
        count(key.account, .tombstone, by: -1)
        insert(key, as: .outcome)
        dropMet(of: key.account)
    }

    /// Takes out the oldest of an account.
    mutating func removeOldest(_ kind: Kind, of account: AccountIndex) {
        shares[Int(account)][kind].oldest.removeMin()
        count(account, kind, by: -1)
        if kind == .tombstone { dropMet(of: account) }
    }

    mutating func raise(_ account: AccountIndex, to horizon: WallTime) {
        makeRoom(for: account)
        let former = shares[Int(account)].horizon
        shares[Int(account)].horizon = max(former ?? horizon, horizon)
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

    private mutating func count(_ account: AccountIndex, _ kind: Kind, by step: Int) {
        let before = shares[Int(account)][kind].count
        shares[Int(account)][kind].count = before + step
        let change = (before + step > 0 ? 1 : 0) - (before > 0 ? 1 : 0)
        switch kind {
        case .outcome: outcomeHolders += change
        case .tombstone: tombstoneHolders += change
        }
    }
}
