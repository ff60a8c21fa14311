import DequeModule
import FleetProtocol

/// The connections of a load over HTTP: each carries one request at a time.
///
/// Requests that are due wait for an idle connection in the order of their due times. A connection that ends
/// is opened again: at once if it had an answer, otherwise after a pause.
struct ConnectionPool: Sendable {
    private enum State: Sendable {
        case opening
        case idle(hasAnswered: Bool)
        case busy(LoadMessage, hasAnswered: Bool)
        /// To be opened at that time.
        case closed(until: MonotonicTime)
    }

    /// The pause before a connection is opened that ended without an answer.
    static let reopenPause: Duration = .milliseconds(100)

    private var states: [State]
    /// The connections that became idle, longest first; those that are no longer idle are skipped.
    private var idle: Deque<Int> = []
    private var waiting: Deque<LoadMessage> = []
    private var closedCount: Int

    /// A pool of closed connections, to be opened at once.
    init(_ count: Int) {
        states = Array(repeating: .closed(until: .zero), count: count)
        closedCount = count
    }

    var isReady: Bool {
        states.allSatisfy { state in if case .idle = state { true } else { false } }
    }

    /// The time at which a connection is to be opened; nil if none is closed.
    var nextOpening: MonotonicTime? {
        guard closedCount > 0 else { return nil }
        return states.compactMap { state in if case .closed(let until) = state { until } else { nil } }
            .min()
    }

    /// Returns a connection to open now; nil if there is none.
    mutating func nextToOpen(at now: MonotonicTime) -> Int? {
        guard closedCount > 0 else { return nil }
        for (index, state) in states.enumerated() {
            if case .closed(let until) = state, until <= now {
                states[index] = .opening
                closedCount -= 1
                return index
            }
        }
        return nil
    }

    mutating func opened(_ index: Int) {
        guard case .opening = states[index] else { return }
        states[index] = .idle(hasAnswered: false)
        idle.append(index)
    }

    /// Returns the message that a connection carries; nil for an idle or closed one.
    func message(on index: Int) -> LoadMessage? {
        if case .busy(let message, _) = states[index] { message } else { nil }
    }

    /// Records an answer, after which the connection is idle; returns the message that it belongs to.
    mutating func answered(_ index: Int) -> LoadMessage? {
        guard let message = message(on: index) else { return nil }
        states[index] = .idle(hasAnswered: true)
        idle.append(index)
        return message
    }

    /// Records that a connection ended, or was not opened; returns the message that has no answer.
    mutating func closed(_ index: Int, at now: MonotonicTime) -> LoadMessage? {
        var (message, hasAnswered) = (LoadMessage?.none, false)
        switch states[index] {
        case .opening: break
        case .idle(let answered): hasAnswered = answered
        case .busy(let sent, let answered): (message, hasAnswered) = (sent, answered)
        case .closed: return nil
        }
        states[index] = .closed(until: hasAnswered ? now : now.advanced(by: Self.reopenPause))
        closedCount += 1
        return message
    }

    mutating func add(_ message: LoadMessage) { waiting.append(message) }

    /// Returns the next message with the connection that carries it; nil if no message or connection waits.
    ///
    /// - Parameter isWanted: Whether a message is still to be sent; others are dropped.
    mutating func next(_ isWanted: (LoadMessage) -> Bool) -> (message: LoadMessage, connection: Int)? {
        while let message = waiting.first, !isWanted(message) { waiting.removeFirst() }
        guard !waiting.isEmpty else { return nil }
        while let index = idle.popFirst() {
            guard case .idle(let hasAnswered) = states[index] else { continue }
            let message = waiting.removeFirst()
            states[index] = .busy(message, hasAnswered: hasAnswered)
            return (message, index)
        }
        return nil
    }

    /// Returns the connections whose messages are not awaited any more.
    func connections(where isGivenUp: (LoadMessage) -> Bool) -> [Int] {
        states.indices.filter { message(on: $0).map(isGivenUp) ?? false }
    }
}
