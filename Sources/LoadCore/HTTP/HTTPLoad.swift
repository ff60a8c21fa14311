public import FleetProtocol
public import FleetTime

/// The rules of a load over HTTP: ``Load`` decides what is due, and a pool of connections carries it.
///
/// A request that waits for an idle connection is late from its due time, as one that waits in the fleet.
public struct HTTPLoad: Sendable {
    /// What the shell has to do.
    public enum Effect: Equatable, Sendable {
        /// Open a connection.
        case open(Int)
        /// Send the request for a state over an idle connection.
        case send(PodState, over: Int)
        /// Close a connection: the answer that it owes is not awaited any more.
        case close(Int)
    }

    /// A state to set.
    public struct PodState: Codable, Equatable, Sendable {
        /// The device, whose ID is that of the pod.
        public let device: String
        /// Whether it is switched on.
        public let isOn: Bool

        /// A state of a device.
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

    /// Closed connections without a load.
    ///
    /// - Parameter states: The devices with their present states; other devices count as off.
    public init(connections: Int, states: [(device: DeviceID, isOn: Bool)]) {
        pool = ConnectionPool(connections)
        for state in states { isOn[state.device] = state.isOn }
    }

    /// Whether every connection is open and idle.
    public var isReady: Bool { pool.isReady }

    // MARK: A load

    /// Begins a load.
    ///
    /// - Precondition: There is none.
    public mutating func begin(_ load: Load) {
        precondition(self.load == nil, "one load at a time")
        self.load = load
    }

    /// Returns the load once all its requests have ended; nil before.
    public mutating func finish(at now: MonotonicTime) -> Load? {
        guard load?.isDone(at: now) == true, let load else { return nil }
        self.load = nil
        return load
    }

    /// Stops new requests.
    public mutating func stop(at now: MonotonicTime) { load?.stop(at: now) }

    /// Stops waiting for answers.
    public mutating func abandon(at now: MonotonicTime) {
        load?.abandon(at: now)
        hasGivenUp = true
    }

    /// The progress of the load; nil without one.
    public mutating func progress(at now: MonotonicTime) -> LoadProgress? { load?.progress(at: now) }

    // MARK: Connections

    /// Records that a connection was opened.
    public mutating func opened(_ connection: Int) { pool.opened(connection) }

    /// Records that a connection ended, or was not opened.
    public mutating func closed(_ connection: Int, at now: MonotonicTime) {
        guard let message = pool.closed(connection, at: now) else { return }
        load?.answered(message, with: .failed("connectionLost"), at: now)
    }

    /// Records an answer.
    public mutating func answered(_ connection: Int, with answer: LoadAnswer, at now: MonotonicTime) {
        guard let message = pool.answered(connection) else { return }
        load?.answered(message, with: answer, at: now)
    }

    // MARK: Time

    /// Does what is due, and appends the effects.
    public mutating func turn(at now: Moment, into effects: inout [Effect]) {
        giveUp(at: now.monotonic, into: &effects)
        while let connection = pool.nextToOpen(at: now.monotonic) { effects.append(.open(connection)) }
        for _ in 0..<Self.messagesPerTurn {
            guard let message = load?.nextMessage(at: now) else { break }
            pool.add(message)
        }
        while let (message, connection) = Self.next(from: &pool, of: load) {
            load?.sent(message, at: now.monotonic)
            let isOn = !self.isOn[message.device, default: false]
            self.isOn[message.device] = isOn
            effects.append(
                .send(PodState(device: message.device.description, isOn: isOn), over: connection))
        }
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
