import Bus
import ControllerCore
import ControllerSupport
import DeviceCore
import FleetProtocol
import FleetReplica
import ProcessSupport
import VirtualFleet

/// A virtual fleet behind the two sockets of a controller that clients use: commands, observers and the
/// gateway find it in its run directory. It is isolated to the thread of a loop.
actor FleetHost {
    /// The updates of a step of ``advance(to:)``: a few milliseconds of work of an observer.
    private static let updatesAtOnce = 4_000

    private let loop: Loop
    private let clock: TestClock
    private var configuration: VirtualFleet.Configuration
    private var fleet: VirtualFleet
    private let clients: Socket
    private var stream: StreamSocket
    private var frames = Frames()
    /// The newest update of each account, which observers have seen when they are up to date.
    private var newest: [AccountID: StreamUpdate] = [:]
    private var nextBeat = MonotonicTime.zero
    private var isPassing = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Starts a fleet, and binds its sockets in a run directory. It is served until the loop is shut down.
    static func open(
        _ configuration: VirtualFleet.Configuration, in directory: RunDirectory, on loop: Loop,
        clock: TestClock
    ) async throws -> FleetHost {
        let host = try FleetHost(configuration, in: directory, on: loop, clock: clock)
        await host.serve()
        return host
    }

    private init(
        _ configuration: VirtualFleet.Configuration, in directory: RunDirectory, on loop: Loop,
        clock: TestClock
    ) throws {
        (self.loop, self.clock, self.configuration) = (loop, clock, configuration)
        fleet = VirtualFleet(configuration, at: clock.start)
        func bound(_ kind: SocketKind, _ socket: FleetSocket) throws -> Socket {
            var options = SocketOptions.defaults(for: kind)
            options.approvesSubscriptions = kind == .xpub
            let made = try Socket(kind, context: loop.context, options: options)
            try made.bind(try directory.endpoint(socket))
            return made
        }
        clients = try bound(.router, .clients)
        stream = StreamSocket(try bound(.xpub, .stream))
    }

    private func serve() {
        loop.register(clients) { self.assumeIsolated { $0.readClients() } }
        loop.register(stream.socket) { self.assumeIsolated { $0.readSubscribers() } }
        loop.onTurn { instant in self.assumeIsolated { $0.turn(at: instant) } }
    }

    /// Closes the sockets, before the loop is shut down.
    func close() {
        loop.unregister(clients)
        loop.unregister(stream.socket)
        clients.close()
        stream.socket.close()
    }

    // MARK: Time

    /// Lets time pass at once up to an end, or until observers have much to read. Returns the positions of
    /// the streams after it, and whether the end is reached.
    func advance(to end: MonotonicTime) async -> (positions: [AccountID: StreamPosition], isDone: Bool) {
        isPassing = true
        defer { isPassing = false }
        catchUp()
        let reached = fleet.advance(to: max(end, fleet.now.monotonic), updates: Self.updatesAtOnce)
        let left = clock.now.monotonic.duration(to: reached)
        if left > .zero { clock.advance(by: left) }
        send()
        return (positions(), reached >= end)
    }

    /// Restarts the fleet from its configuration.
    func restart(showing date: WallTime?, isHeld: Bool) -> [AccountID: StreamPosition] {
        // Unread requests belong to the former fleet.
        while (try? clients.receive(into: &frames)) == true {}
        clock.restart(showing: date, isHeld: isHeld)
        configuration.controller.epoch = configuration.controller.epoch.next
        newest = [:]
        fleet = VirtualFleet(configuration, at: clock.start)
        send()
        return positions()
    }

    /// Changes the node, and returns the positions of the streams after it.
    func changeNode<Value: Sendable>(
        _ body: @Sendable (inout Node, inout [Node.Effect]) -> Value
    ) -> (value: Value, positions: [AccountID: StreamPosition]) {
        catchUp()
        let value = fleet.changeNode(body)
        send()
        return (value, positions())
    }

    /// The positions that an observer must have reached to show what has happened.
    func positions() -> [AccountID: StreamPosition] {
        newest.mapValues { StreamPosition(epoch: $0.epoch, sequence: $0.sequence) }
    }

    private func turn(at instant: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        catchUp()
        guard let due = fleet.nextDue, let delay = clock.delay(until: due) else {
            beatWhileHeld()
            return instant.advanced(by: Limits.beatInterval)
        }
        return instant.advanced(by: delay)
    }

    private func catchUp() {
        fleet.advance(to: clock.now.monotonic)
        send()
    }

    /// Repeats the newest position in real time, because observers take a silent stream for a broken one.
    private func beatWhileHeld() {
        let now = clock.gatewayTime.monotonic
        guard clock.isHeld, nextBeat <= now else { return }
        nextBeat = now.advanced(by: Limits.beatInterval)
        for (account, last) in newest {
            publish(
                StreamUpdate(
                    epoch: last.epoch, sequence: last.sequence, at: fleet.now.wall, body: .beat),
                to: fleet.controller.streamTopics(of: account))
        }
    }

    // MARK: Sockets

    private func readClients() {
        fleet.advance(to: clock.now.monotonic)
        while (try? clients.receive(into: &frames)) == true {
            guard frames.count == 3, frames.byteCount(at: 1) == 0, let peer = frames.routingID(at: 0) else {
                continue
            }
            let frame = ReceivedFrame(frames.array(at: 2))
            let client = ConnectionID(high: peer.words.0, low: peer.words.1)
            frame.forEach { place throws(WireError) in
                let request = try ClientRequest(wireBytes: frame.bytes, in: place)
                fleet.receive(request, from: client, digest: request.token?.digest)
            } refuse: { error in
                reply(Controller.reply(to: error), to: client)
            }
        }
        send()
    }

    private func readSubscribers() {
        let now = clock.now.monotonic
        while (try? stream.socket.receive(into: &frames)) == true {
            _ = try? stream.receive(frames, for: &fleet.controller, at: now)
        }
        stream.endDoubt()
        fleet.openStreams()
        send()
    }

    private func send() {
        let output = fleet.drain()
        for sent in output.replies { reply(sent.reply, to: sent.client) }
        for published in output.updates {
            newest[published.account] = published.update
            // While hours pass in a moment, beats would only fill the queues.
            if isPassing, published.update.body == .beat { continue }
            publish(published.update, to: fleet.controller.streamTopics(of: published.account))
        }
        for last in output.lastUpdates { publish(last.update, to: [last.topic]) }
    }

    /// Sends a reply; a client that does not read asks again.
    private func reply(_ reply: ClientReply, to client: ConnectionID) {
        _ = try? clients.send(to: RoutingID(words: (client.high, client.low)), delimited: reply.wireBytes)
    }

    private func publish(_ update: StreamUpdate, to topics: [StreamTopic]) {
        guard !topics.isEmpty else { return }
        let bytes = update.wireBytes
        for topic in topics { _ = try? stream.socket.send(topic: topic.bytes, payload: bytes) }
    }
}
