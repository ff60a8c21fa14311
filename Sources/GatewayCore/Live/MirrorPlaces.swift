public import FleetProtocol
public import Stepping

/// Which accounts a gateway mirrors, and which one goes for another.
///
/// Sign-up makes accounts for anyone who asks. So accounts without devices, whose mirrors are small, have
/// places of their own: they take none of an account that has devices.
public struct MirrorPlaces: Sendable {
    /// An account that is mirrored.
    public struct Place: Sendable {
        /// Whose mirror it is.
        public let account: AccountID
        /// When it was needed last.
        public let usedAt: MonotonicTime
        /// Whether it has listeners.
        public let isListenedTo: Bool
        /// Whether it has ever had devices.
        public let hasDevices: Bool

        /// The place of those values.
        public init(account: AccountID, usedAt: MonotonicTime, isListenedTo: Bool, hasDevices: Bool) {
            self.account = account
            self.usedAt = usedAt
            self.isListenedTo = isListenedTo
            self.hasDevices = hasDevices
        }
    }

    /// Whether there is room for another account.
    public enum Room: Equatable, Sendable {
        case free
        /// These go first.
        case insteadOf([AccountID])
        /// All places are needed.
        case none
    }

    /// Accounts with devices that are mirrored at a time; a local fleet has one.
    public static let withDevices = 64
    /// Accounts without devices.
    public static let withoutDevices = 256
    /// An account with devices that was needed within this time keeps its mirror: longer than clients wait
    /// from question to question.
    public static let restAtLeast: Duration = .seconds(60)

    /// Whether there is room for an account whose devices, if it has any, are not known yet.
    ///
    /// Where too many have none, one of these goes: one without listeners first, and of several the one that
    /// was needed longest ago.
    public static func room(among places: [Place], at now: MonotonicTime) -> Room {
        var gone: [AccountID] = []
        let large = places.filter(\.hasDevices)
        if large.count >= withDevices {
            let rested = large.filter {
                $0.usedAt.duration(to: now) >= restAtLeast && !$0.isListenedTo
            }
            guard let oldest = rested.min(by: { $0.usedAt < $1.usedAt }) else { return .none }
            gone.append(oldest.account)
        }
        let small = places.filter { !$0.hasDevices }
        if small.count >= withoutDevices {
            let idle = small.filter { !$0.isListenedTo }
            let oldest = (idle.isEmpty ? small : idle).min { $0.usedAt < $1.usedAt }
            if let oldest { gone.append(oldest.account) }
        }
        return gone.isEmpty ? .free : .insteadOf(gone)
    }
}

/// Who listens to an account's stream: so many of a session, and of all its sessions together.
///
/// A listener beyond that takes the place of the oldest of its session, or of the session that has the most.
public struct ListenerPlaces<Session: Hashable & Sendable>: Sendable {
    /// A listener's number; it is never used again.
    public typealias ID = UInt64

    private let perSession: Int
    private let atMost: Int
    /// In the order in which they came.
    private var listeners: [(id: ID, session: Session)] = []
    private var lastID: ID = 0

    /// Places for so many listeners; a session may have less.
    public init(perSession: Int, atMost: Int) {
        self.perSession = perSession
        self.atMost = atMost
    }

    /// How many listen.
    public var count: Int { listeners.count }

    /// Gives a newcomer a place, and tells whose place it is if that has to go.
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

    /// One listens no more.
    public mutating func remove(_ id: ID) {
        listeners.removeAll { $0.id == id }
    }

    private func oldest(of session: Session) -> ID? { listeners.first { $0.session == session }?.id }

    /// The session with the most listeners; of several the one that has listened for longest.
    private var largest: Session? {
        var counts: [Session: Int] = [:]
        for listener in listeners { counts[listener.session, default: 0] += 1 }
        let most = counts.values.max()
        return listeners.first { counts[$0.session] == most }?.session
    }
}
