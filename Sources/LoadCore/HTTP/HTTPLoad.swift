import DequeModule
public import FleetProtocol

/// The rules of a load over HTTP: ``Load`` decides what is due, and a pool of connections carries it. A
/// request that waits for an idle connection is late from its due time, as one that waits in the fleet.
public struct HTTPLoad: Sendable {
    public enum Effect: Equatable, Sendable {
        case open(Int)
        /// Send a request over an idle connection, and record ``HTTPLoad/sent(over:at:)``.
        case send(Request, over: Int)
        /// Close a connection: the answer that it owes is not awaited any more.
        case close(Int)
    }

    public enum Request: Equatable, Sendable {
        /// Switch a pod on or off.
        case set(PodState)
        /// Read a pod; its ID.
        case read(String)
    }

    public struct Response: Equatable, Sendable {
        public let status: Int
        public let body: [UInt8]

        public init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
    }

    public struct PodState: Codable, Equatable, Sendable {
        /// The device, whose ID is that of the pod.
        public let device: String
        public let isOn: Bool

        public init(device: String, isOn: Bool) { (self.device, self.isOn) = (device, isOn) }
    }

    /// The most messages that become due in one turn, so that answers do not wait.
    private static let messagesPerTurn = 256

    private var pool: ConnectionPool
    /// The last state of each device, or the one that was last requested.
    private var isOn: [DeviceID: Bool] = [:]
    private var load: Load?
    /// Whether requests may have been given up whose connections are busy.
    private var hasGivenUp = false

    /// Closed connections without a load; devices that are not in `states` count as off.
    public init(connections: Int, states: [(device: DeviceID, isOn: Bool)]) {
        pool = ConnectionPool(connections)
        for state in states { isOn[state.device] = state.isOn }
    }

    public var isReady: Bool { pool.isReady }

    // MARK: A load

    public mutating func begin(_ load: Load) {
        precondition(self.load == nil, "one load at a time")
        self.load = load
    }

    public mutating func finish(at now: MonotonicTime) -> Load? {
        guard load?.isDone(at: now) == true, let load else { return nil }
        self.load = nil
        return load
    }

    public mutating func stop(at now: MonotonicTime) { load?.stop(at: now) }

    public mutating func abandon(at now: MonotonicTime) {
        load?.abandon(at: now)
        hasGivenUp = true
    }

    public mutating func progress(at now: MonotonicTime) -> LoadProgress? { load?.progress(at: now) }

    // MARK: Connections

    public mutating func opened(_ connection: Int) { pool.opened(connection) }

    public mutating func closed(_ connection: Int, at now: MonotonicTime) {
        guard let message = pool.closed(connection, at: now) else { return }
        load?.answered(message, with: .failed("connectionLost"), at: now)
    }

    /// Records that a request is written to a connection now.
    public mutating func sent(over connection: Int, at now: MonotonicTime) {
        guard let message = pool.message(on: connection) else { return }
        load?.sent(message, at: now)
    }

    public mutating func answered(_ connection: Int, with response: Response, at now: MonotonicTime) {
        guard let message = pool.answered(connection) else { return }
        load?.answered(message, with: LoadAnswer(response, to: message.content), at: now)
    }

    // MARK: Time

    public mutating func turn(at now: Moment, into effects: inout [Effect]) {
        giveUp(at: now.monotonic, into: &effects)
        while let connection = pool.nextToOpen(at: now.monotonic) { effects.append(.open(connection)) }
        for _ in 0..<Self.messagesPerTurn {
            guard let message = load?.nextMessage(at: now) else { break }
            pool.add(message)
        }
        while let (message, connection) = Self.next(from: &pool, of: load) {
            effects.append(.send(request(of: message), over: connection))
        }
    }

    /// Returns the request of a message; a toggle sets the reverse of the state that was requested last.
    private mutating func request(of message: LoadMessage) -> Request {
        let device = message.device
        let state: Bool
        switch message.content {
        case .toggle: state = !isOn[device, default: false]
        case .set(let isOn): state = isOn
        case .read: return .read(device.description)
        }
        isOn[device] = state
        return .set(PodState(device: device.description, isOn: state))
    }

    /// Returns the time of the next work without an answer; nil if only answers matter.
    public func nextDue(after now: MonotonicTime) -> MonotonicTime? {
        let due = min(load?.nextDue(after: now) ?? .never, pool.nextOpening ?? .never)
        return due == .never ? nil : due
    }

    /// Gives up late requests, and closes the connections that carry them.
    private mutating func giveUp(at now: MonotonicTime, into effects: inout [Effect]) {
        if load?.turn(at: now) == true { hasGivenUp = true }
        guard hasGivenUp else { return }
        hasGivenUp = false
        for connection in pool.connections(where: { !(load?.awaits($0) ?? false) }) {
            _ = pool.closed(connection, at: now)
            effects.append(.close(connection))
        }
    }

    private static func next(
        from pool: inout ConnectionPool, of load: Load?
    ) -> (message: LoadMessage, connection: Int)? {
        pool.next { load?.awaits($0) ?? false }
    }
}

/// The connections of a load over HTTP: each carries one request at a time. Requests that are due wait for an
/// idle connection in the order of their due times. A connection that ends is opened again: at once if it had
/// an answer, otherwise after a pause.
struct ConnectionPool: Sendable {
    private enum State: Sendable {
        case opening
        case idle(hasAnswered: Bool)
        case busy(LoadMessage, hasAnswered: Bool)
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

    /// Returns the next message with the connection that carries it; nil if no message or connection waits. A
    /// message that is not wanted any more is dropped.
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

    func connections(where isGivenUp: (LoadMessage) -> Bool) -> [Int] {
        states.indices.filter { message(on: $0).map(isGivenUp) ?? false }
    }
}
