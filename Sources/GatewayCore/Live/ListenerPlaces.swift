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
