import Bus
public import FleetProtocol
public import FleetReplica

/// The connection to the controller's `clients` socket.
extension FleetClient {
    /// Messages read in one turn, so that a flood of replies does not keep the rest of the loop waiting.
    private static let messagesPerTurn = 256
    /// The maximum number of buffered states for each observer; the oldest are dropped.
    private static let bufferedStates = 16

    /// The state of the connection to the controller.
    public var connection: ConnectionState { tracker.state }

    /// Whether there is a connection to the controller.
    public var isConnected: Bool { tracker.state == .established }

    /// Returns the current and all later connection states; the sequence ends when the client is closed.
    ///
    /// An observer that is slow gets the newest 16.
    public func connectionStates() -> AsyncStream<ConnectionState> {
        let (states, continuation) = AsyncStream.makeStream(
            of: ConnectionState.self, bufferingPolicy: .bufferingNewest(Self.bufferedStates))
        let number = tracker.add(continuation)
        continuation.onTermination = { [weak self, loop] _ in
            loop.perform { [weak self] in self?.assumeIsolated { $0.tracker.remove(number) } }
        }
        if phase != .open { continuation.finish() }
        return states
    }

    func connect() throws(FleetError) {
        guard case .made = phase else { preconditionFailure("a client connects once, not when \(phase)") }
        do throws(BusError) {
            try openRequests()
        } catch {
            close()
            throw .transport(error)
        }
    }

    func openRequests() throws(BusError) {
        var options = SocketOptions.defaults(for: .dealer, using: &generator)
        // Replies received before the connection was lost are still handled; `offer` waits for the next
        // connection.
        options.immediate = false
        options.secure(endpoints.security)
        let requests = try ClientSocket(.dealer, to: endpoints.clients, options: options, on: loop)
        phase = .open
        let number = sockets.add(requests)
        requests.onReadable = { self.assumeIsolated { $0.receiveReplies(over: number) } }
        try requests.connect { _ in
        } observe: { event in
            self.assumeIsolated { $0.observe(event, of: number) }
        }
    }

    private func observe(_ event: ConnectionEvent, of number: Int) {
        guard case .open = phase, number == sockets.newest else { return }
        if case .handshakeFailed(let failure) = event {
            pending.isDenied = if case .denied = failure { true } else { false }
        }
        if let state = tracker.observe(event) { handle(state) }
    }

    func handle(_ state: ConnectionState) {
        switch state {
        case .established:
            pending.isDenied = false
            pending.connected(at: clock().monotonic)
            renewTickets()
        case .connecting, .failed: pending.disconnected()
        }
        tracker.report()
        drive()
    }

    /// Receives replies over a connection, which may be a former one.
    private func receiveReplies(over number: Int) {
        do throws(BusError) {
            for _ in 0..<Self.messagesPerTurn {
                guard try sockets[number]?.socket.receive(into: &frames) == true else { break }
                receiveReply()
            }
        } catch {
            // The context was terminated or the loop closed the socket, so no more messages arrive.
            return close()
        }
        drive()
    }

    /// Handles the reply in ``frames``: an empty delimiter, then one frame.
    private func receiveReply() {
        guard frames.count == 2, frames.byteCount(at: 0) == 0 else { return pending.answeredShapelessly() }
        do throws(WireError) {
            let reply = try ClientReply(wireBytes: frames.array(at: 1))
            if case .refusal(.moved(let cell)) = reply.body, follow(to: cell, with: reply) { return }
            pending.answered(reply, at: clock().monotonic, into: &effects)
        } catch {
            pending.answeredBadly(error, into: &effects)
        }
    }
}

/// Derives the connection state from the events of a socket's monitor, and reports it to observers.
struct ConnectionTracker {
    private var endpoint: Endpoint
    private(set) var state = ConnectionState.connecting
    private var observers: [UInt64: AsyncStream<ConnectionState>.Continuation] = [:]
    private var lastObserver: UInt64 = 0

    init(endpoint: Endpoint) { self.endpoint = endpoint }

    /// Begins again, with the connection to another controller.
    mutating func restart(at endpoint: Endpoint) { (self.endpoint, state) = (endpoint, .connecting) }

    /// Adds an observer, which gets the current state first; returns its number.
    mutating func add(_ observer: AsyncStream<ConnectionState>.Continuation) -> UInt64 {
        observer.yield(state)
        lastObserver += 1
        observers[lastObserver] = observer
        return lastObserver
    }

    mutating func remove(_ number: UInt64) { observers[number] = nil }

    /// Reports the current state to all observers, in the order in which they came.
    func report() {
        for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer.yield(state) }
    }

    mutating func finish() {
        for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer.finish() }
        observers = [:]
    }

    /// Returns the state after an event; nil if it is unchanged.
    mutating func observe(_ event: ConnectionEvent) -> ConnectionState? {
        guard let next = Self.state(after: event, at: endpoint), next != state else { return nil }
        state = next
        return next
    }

    /// A lost connection is reopened at once; after a failed attempt the state stays `failed` until an
    /// attempt succeeds.
    private static func state(after event: ConnectionEvent, at endpoint: Endpoint) -> ConnectionState? {
        switch event {
        case .handshakeSucceeded: .established
        case .disconnected: .connecting
        case .connectRetried: .failed("no answer at \(endpoint); trying again")
        case .handshakeFailed(.denied):
            .failed("the fleet at \(endpoint) does not admit the key of this machine; trying again")
        case .handshakeFailed:
            .failed("the peer at \(endpoint) does not speak our protocol, or has another key; trying again")
        case .connected, .connectDelayed, .listening, .bindFailed, .accepted, .acceptFailed, .closed,
            .closeFailed, .stopped:
            nil
        }
    }
}

/// The connection to the controller's `stream` socket.
extension FleetClient {
    /// Updates read in one turn, so that a flood of them does not keep replies waiting.
    private static let updatesPerTurn = 1_024

    /// Returns the updates of an account from now on; the first call opens the connection.
    ///
    /// The client requests a ticket to the stream. It requests another one after a second without updates,
    /// over a new connection, and when the session of the ticket has ended. Updates from before the
    /// controller saw the ticket are missing, so begin to read, and pull the snapshot after. The sequence
    /// lasts over lost connections and ended sessions, until the client is closed.
    ///
    /// - Parameters:
    ///   - credentials: Credentials for the tickets; nil for the client's own at each request.
    ///   - pause: The pause after each read of the stream; the shortest pause of all readers applies. Updates
    ///     that arrive during the pause are delivered together, and later ones at once.
    /// - Throws: `closed`, or `transport` if no socket can be created.
    public func updates(
        of account: AccountID, as credentials: Credentials? = nil, pause: Duration = .zero
    ) throws(FleetError) -> StreamUpdates {
        guard case .open = phase else { throw .closed }
        do throws(BusError) {
            try openStreamSocket()
        } catch {
            throw .transport(error)
        }
        let (updates, feed) = StreamUpdates.make()
        let number = readers.add(StreamReader(account: account, pause: pause, feed: feed))
        feed.onEnd { [weak self, loop] in
            loop.perform { [weak self] in self?.assumeIsolated { $0.stopReading(number) } }
        }
        openStream(of: account, as: credentials)
        return updates
    }

    func openStreamSocket() throws(BusError) {
        guard stream.socket == nil else { return }
        var options = SocketOptions.defaults(for: .sub, using: &generator)
        options.secure(endpoints.security)
        let opened = try ClientSocket(.sub, to: endpoints.stream, options: options, on: loop)
        try opened.connect { socket throws(BusError) in
            // Tickets select the accounts whose updates arrive. One subscription matches all topics, because
            // the controller limits the subscriptions of a connection.
            try socket.subscribe(prefix: Topic.streams)
            // Another socket has no tickets.
            self.assumeIsolated { $0.renewTickets() }
        } observe: { _ in
        }
        stream.socket = opened
        listen()
    }

    /// Reads the stream whenever a message arrives.
    private func listen() {
        stream.rest = nil
        stream.socket?.onReadable = { self.assumeIsolated { $0.receiveUpdates() } }
    }

    var isResting: Bool { stream.rest != nil }

    /// Pauses reading for the shortest pause of the readers.
    private func rest() {
        guard let socket = stream.socket, let pause = readers.shortestPause, pause > .zero else { return }
        socket.onReadable = nil
        stream.rest = loop.schedule(after: pause) { self.assumeIsolated { $0.listen() } }
    }

    private func stopReading(_ number: UInt64) {
        if let account = readers.remove(number) { closeStream(of: account) }
    }

    private func receiveUpdates() {
        guard let socket = stream.socket else { return }
        do throws(BusError) {
            for _ in 0..<Self.updatesPerTurn {
                guard try socket.socket.receive(into: &frames) else {
                    handOver()
                    return rest()
                }
                receiveUpdate()
            }
            handOver()
        } catch {
            // The context was terminated or the loop closed the socket, so no more messages arrive.
            close()
        }
    }

    /// Handles the update in ``frames``: its topic, then one frame.
    private func receiveUpdate() {
        guard frames.count == 2 else { return readers.countBadUpdate() }
        do throws(WireError) {
            let topic = frames.array(at: 0)
            let update = try StreamUpdate(wireBytes: frames.array(at: 1))
            if topic != readers.topic { handOver() }
            if update.isLast {
                handOver()
                streamEnded(topic)
            } else {
                readers.append(update, of: topic)
            }
        } catch {
            readers.countBadUpdate()
        }
    }

    /// Delivers all received updates to the readers in one batch, so that each reader is woken once.
    private func handOver() {
        guard readers.hasUpdates else { return }
        readers.handOver(to: recordStreamMessage(readers.topic))
    }
}
