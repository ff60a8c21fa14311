public import FleetProtocol

/// The limits of a gateway's account replicas, and the choice of the replica to end for a new one. Anyone can
/// create accounts by sign-up. So accounts without devices, whose replicas are small, have a separate limit
/// and cannot displace the replica of an account with devices.
public struct ReplicaSlots: Sendable {
    public struct Place: Sendable {
        public let account: CellAccount
        public let usedAt: MonotonicTime
        public let isListenedTo: Bool
        public let hasDevices: Bool

        public init(account: CellAccount, usedAt: MonotonicTime, isListenedTo: Bool, hasDevices: Bool) {
            (self.account, self.usedAt) = (account, usedAt)
            (self.isListenedTo, self.hasDevices) = (isListenedTo, hasDevices)
        }
    }

    public enum Room: Equatable, Sendable {
        case free
        /// There is room after the replicas of these accounts end.
        case insteadOf([CellAccount])
        /// No room: all replicas of accounts with devices are in use.
        case none
    }

    /// The maximum number of replicas of accounts with devices; a local fleet has one.
    public static let withDevices = 64
    public static let withoutDevices = 256
    /// The time since its last use for which an account with devices keeps its replica: longer than the
    /// interval at which clients poll.
    static let restAtLeast: Duration = .seconds(60)

    /// Returns whether there is room for an account, before it is known whether the account has devices. At
    /// the limit of accounts without devices, the least recently used one of them ends; one that has
    /// listeners ends only if all have.
    public static func room(among places: [Place], at now: MonotonicTime) -> Room {
        var removed: [CellAccount] = []
        let large = places.filter(\.hasDevices)
        if large.count >= withDevices {
            let rested = large.filter { $0.usedAt.duration(to: now) >= restAtLeast && !$0.isListenedTo }
            guard let oldest = rested.min(by: { $0.usedAt < $1.usedAt }) else { return .none }
            removed.append(oldest.account)
        }
        let small = places.filter { !$0.hasDevices }
        if small.count >= withoutDevices {
            let idle = small.filter { !$0.isListenedTo }
            let oldest = (idle.isEmpty ? small : idle).min { $0.usedAt < $1.usedAt }
            if let oldest { removed.append(oldest.account) }
        }
        return removed.isEmpty ? .free : .insteadOf(removed)
    }
}

/// An account of a cell; nil for a fleet without cells.
public struct CellAccount: Hashable, Comparable, Sendable {
    public let cell: CellName?
    public let account: AccountID

    public init(_ account: AccountID, in cell: CellName?) { (self.account, self.cell) = (account, cell) }

    public static func < (left: CellAccount, right: CellAccount) -> Bool {
        (left.account.name, left.cell?.text ?? "") < (right.account.name, right.cell?.text ?? "")
    }
}

/// The listeners to an account's stream, limited for each session and in total. At a limit a new listener
/// displaces the oldest of its session, or of the session with the most listeners.
public struct ListenerSlots<Session: Hashable & Sendable>: Sendable {
    /// A listener's number, never reused.
    public typealias ID = UInt64

    private let perSession: Int
    private let atMost: Int
    /// The listeners, oldest first.
    private var listeners: [(id: ID, session: Session)] = []
    private var lastID: ID = 0

    public init(perSession: Int, atMost: Int) { (self.perSession, self.atMost) = (perSession, atMost) }

    public var count: Int { listeners.count }

    /// Adds a listener, and returns its number and that of the listener that it displaces.
    public mutating func add(_ session: Session) -> (id: ID, leaving: ID?) {
        var leaving: ID?
        if listeners.count(where: { $0.session == session }) >= perSession {
            leaving = oldest(of: session)
        } else if listeners.count >= atMost {
            leaving = largest.flatMap(oldest)
        }
        if let leaving { remove(leaving) }
        lastID += 1
        listeners.append((lastID, session))
        return (lastID, leaving)
    }

    public mutating func remove(_ id: ID) { listeners.removeAll { $0.id == id } }

    private func oldest(of session: Session) -> ID? { listeners.first { $0.session == session }?.id }

    /// The session with the most listeners; of several, the one with the oldest listener.
    private var largest: Session? {
        var counts: [Session: Int] = [:]
        for listener in listeners { counts[listener.session, default: 0] += 1 }
        let most = counts.values.max()
        return listeners.first { counts[$0.session] == most }?.session
    }
}
