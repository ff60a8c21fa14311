import FleetProtocol
import GatewayCore

/// The listeners to one account's stream, each with what waits for it.
struct MirrorListeners: Sendable {
    /// Batches that wait for one listener: 16 s.
    ///
    /// One that is slower begins again.
    static let waitingBatches = 64
    /// Listeners of one session: tabs of a browser.
    private static let perSession = 16
    /// Listeners of all sessions of the account.
    private static let atMost = 256

    private var feeds: [UInt64: AsyncStream<[UInt8]>.Continuation] = [:]
    /// Their places, by the token of their session.
    private var places = ListenerPlaces<[UInt8]>(perSession: perSession, atMost: atMost)

    /// How many listen.
    var count: Int { feeds.count }

    /// Adds a listener of a session; an older one may have to end for it.
    ///
    /// - Parameters:
    ///   - beginning: The first batch.
    ///   - forget: Called with the listener's number after its end.
    mutating func add(
        of session: Token, beginning: [UInt8], forgetting forget: @escaping @Sendable (UInt64) -> Void
    ) -> AsyncStream<[UInt8]> {
        let (number, leaving) = places.add(session.bytes)
        if let leaving { feeds.removeValue(forKey: leaving)?.finish() }
        let (stream, feed) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.waitingBatches))
        feeds[number] = feed
        feed.onTermination = { _ in forget(number) }
        feed.yield(beginning)
        return stream
    }

    /// Removes a listener that has ended.
    mutating func remove(_ number: UInt64) {
        feeds[number] = nil
        places.remove(number)
    }

    /// Sends a batch to all.
    func tell(_ bytes: [UInt8]) {
        for (_, feed) in feeds {
            // It ends here rather than lack a batch: the browser comes again, and says where it was.
            if case .dropped = feed.yield(bytes) { feed.finish() }
        }
    }

    /// Ends all.
    func finish() {
        for (_, feed) in feeds { feed.finish() }
    }
}
