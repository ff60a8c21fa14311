import Bus
import FleetProtocol
import LoadCore
import ProcessSupport
import UserText

/// Runs loads over its own connections: the shell around ``Load``. All state belongs to the loop's thread. It
/// runs one load at a time; the connections stay open in between.
actor LoadDriver {
    /// The timeout for the controller's answer on a new connection.
    static let greetingTimeout: Duration = .seconds(5)
    /// The interval between greetings on a connection without an answer.
    private static let greetingInterval: Duration = .milliseconds(20)
    private static let reportInterval: Duration = .seconds(1)
    /// The maximum of messages sent in one turn, so that replies do not wait.
    private static let messagesPerTurn = 256
    /// The maximum of frames received from each connection in one turn, so that due messages do not wait.
    private static let framesPerTurn = 64
    /// The maximum of queued messages on one connection in each direction: one second's at a high rate.
    private static let highWaterMark = 100_000
    /// The time from the creation of a load to its start: ordering a million devices takes a while.
    private static let headStart: Duration = .milliseconds(100)
    /// The correlation of greetings, which no request of a load uses.
    private static let greetingCorrelation: UInt64 = 0

    /// The connections without a first answer, and their waiting task.
    private struct Greeting {
        var awaited: Set<Int>
        let waiter: CheckedContinuation<CommandFailure?, Never>
    }

    /// A connection, and the messages of its next frame.
    private struct Connection {
        let socket: ClientSocket
        var isEstablished = false
        var frame = FrameWriter()
        var messages: [LoadMessage] = []
    }

    private let loop: Loop
    private let token: Token
    private let now: @Sendable () -> Moment
    private let idSeed: UInt64
    private let progressFeed: AsyncStream<LoadProgress>.Continuation
    private var connections: [Connection] = []
    private var frames = Frames()
    private var greeting: Greeting?
    private var load: Load?
    /// The meter of the loop's thread; nil before the first load.
    private var meter: ThreadMeter?
    private var loadWaiter: CheckedContinuation<Load, any Error>?
    private var reportTimer: TimerID?
    private var interruptions = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// A driver on the thread of a loop; it calls `progressFeed` each second of a load.
    init(
        on loop: Loop, token: Token, surroundings: Surroundings,
        progressFeed: AsyncStream<LoadProgress>.Continuation
    ) {
        (self.loop, self.token, self.progressFeed) = (loop, token, progressFeed)
        now = surroundings.now
        idSeed = surroundings.randomBits()
    }

    /// Opens connections, and waits until the controller has answered on each.
    func connect(_ count: Int, over connection: FleetConnection) async throws {
        var options = SocketOptions.defaults(for: .dealer)
        options.secure(connection.security)
        options.sendHighWaterMark = Self.highWaterMark
        // Replies received before a connection was lost are still handled.
        options.immediate = false
        let endpoint = try connection.endpoint(.clients)
        for index in 0..<count {
            let socket = try ClientSocket(.dealer, to: endpoint, options: options, on: loop)
            socket.onReadable = { self.assumeIsolated { $0.drain(index) } }
            connections.append(Connection(socket: socket))
            try socket.connect { _ in
            } observe: { event in
                self.assumeIsolated { $0.observe(event, of: index) }
            }
        }
        let failure = await withCheckedContinuation { continuation in
            greeting = Greeting(awaited: Set(0..<count), waiter: continuation)
            loop.schedule(after: Self.greetingTimeout) {
                self.assumeIsolated { $0.endGreeting(Self.silence) }
            }
            greet()
        }
        if let failure { throw failure }
        loop.onTurn { _ in self.assumeIsolated { $0.turn() } }
    }

    /// Runs a load from `start`, or as soon as possible; returns when all its requests have ended.
    func run(
        _ plan: LoadPlan, on devices: [DeviceID], startingAt start: MonotonicTime? = nil,
        isShared: Bool = false
    ) async throws -> Load {
        precondition(load == nil, "one load at a time")
        LoadRehearsal.run(plan, token: token)
        meter = meter ?? ThreadMeter()
        let start = start ?? now().monotonic.advanced(by: Self.headStart)
        // Each load of a sweep uses other IDs: they must never repeat.
        let seed = idSeed &+ UInt64(bitPattern: start.nanoseconds)
        return try await withCheckedThrowingContinuation { continuation in
            load = Load(plan, devices: devices, idSeed: seed, startingAt: start, isShared: isShared)
            if interruptions > 0 { load?.stop(at: now().monotonic) }
            loadWaiter = continuation
            reportProgress()
        }
    }

    /// Ends the load: the first call stops new requests, and the second one also stops waiting for answers.
    func interrupt() {
        interruptions += 1
        if interruptions == 1 {
            load?.stop(at: now().monotonic)
        } else {
            load?.abandon(at: now().monotonic)
        }
    }

    // MARK: Greeting

    private static let silence = CommandFailure(
        .absent, "the controller did not answer on a new connection within 5 s",
        advice: "`fleet status` shows whether it runs")

    /// Sends a greeting on each connection without an answer, repeatedly until all have one.
    private func greet() {
        guard let greeting else { return }
        let bytes = ClientRequest(correlation: Self.greetingCorrelation, token: token, body: .status)
            .wireBytes
        do {
            // A greeting that cannot be sent yet is sent the next time.
            for index in greeting.awaited.sorted() {
                _ = try connections[index].socket.socket.send(delimited: bytes)
            }
            loop.schedule(after: Self.greetingInterval) { self.assumeIsolated { $0.greet() } }
        } catch {
            endGreeting(CommandFailure(error))
        }
    }

    private func greeted(_ reply: ClientReply, on index: Int) {
        if case .refusal(let refusal) = reply.body {
            return endGreeting(CommandFailure(ExitStatus(refusal), refusal.explanation))
        }
        greeting?.awaited.remove(index)
        if greeting?.awaited.isEmpty == true { endGreeting(nil) }
    }

    private func endGreeting(_ failure: CommandFailure?) {
        greeting?.waiter.resume(returning: failure)
        greeting = nil
    }

    // MARK: Loading

    /// Sends the due messages, and returns the time of the next call.
    private func turn() -> ContinuousClock.Instant? {
        guard load != nil else { return nil }
        load?.turn(at: now().monotonic)
        do {
            try send()
        } catch {
            finish(throwing: error)
        }
        let end = now().monotonic
        if load?.isDone(at: end) == true { finish() }
        return load?.nextDue(after: end).map { .now.advanced(by: end.duration(to: $0)) }
    }

    /// Sends the messages that are due: those of one connection in one frame, unless it is full.
    private func send() throws(BusError) {
        for _ in 0..<Self.messagesPerTurn {
            guard let message = load?.nextMessage(at: now()) else { break }
            let index = message.connection
            if let full = connections[index].frame.append(message.request(as: token).wireBytes) {
                try send(full, over: index)
            }
            connections[index].messages.append(message)
        }
        for index in connections.indices {
            if let frame = connections[index].frame.finish() { try send(frame, over: index) }
        }
    }

    private func send(_ frame: [UInt8], over index: Int) throws(BusError) {
        let now = now().monotonic
        let isEstablished = connections[index].isEstablished
        let isSent =
            isEstablished ? try connections[index].socket.socket.send(delimited: frame) == .sent : false
        for message in connections[index].messages {
            if isSent {
                load?.sent(message, at: now)
            } else {
                load?.blocked(message, at: now, isConnected: isEstablished)
            }
        }
        connections[index].messages.removeAll(keepingCapacity: true)
    }

    private func observe(_ event: ConnectionEvent, of index: Int) {
        switch event {
        case .handshakeSucceeded:
            connections[index].isEstablished = true
            load?.connected(index, at: now().monotonic)
        case .disconnected: connections[index].isEstablished = false
        default: break
        }
    }

    private func drain(_ index: Int) {
        do {
            for _ in 0..<Self.framesPerTurn {
                guard try connections[index].socket.socket.receive(into: &frames) else { return }
                guard frames.count == 2, frames.byteCount(at: 0) == 0 else { continue }
                let frame = ReceivedFrame(frames.array(at: 1))
                // An unreadable message answers nothing: its request counts as unanswered.
                frame.forEach { place throws(WireError) in
                    received(try ClientReply(wireBytes: frame.bytes, in: place), on: index)
                } refuse: { _ in
                }
            }
        } catch {
            finish(throwing: error)
        }
    }

    private func received(_ reply: ClientReply, on index: Int) {
        if reply.correlation == Self.greetingCorrelation {
            greeted(reply, on: index)
        } else {
            load?.answered(reply, at: now().monotonic)
        }
    }

    private func finish(throwing error: (any Error)? = nil) {
        guard let load, let loadWaiter else { return }
        self.load = nil
        self.loadWaiter = nil
        if let reportTimer { loop.cancel(reportTimer) }
        if let error { loadWaiter.resume(throwing: error) } else { loadWaiter.resume(returning: load) }
    }

    // MARK: Reporting

    private func scheduleReport() {
        reportTimer = loop.schedule(after: Self.reportInterval) {
            self.assumeIsolated { $0.reportProgress() }
        }
    }

    /// Reports the progress, and records the resources that this thread has used.
    private func reportProgress() {
        let now = now().monotonic
        guard let progress = load?.progress(at: now) else { return }
        if let use = meter?.use { load?.record(use, at: now) }
        progressFeed.yield(progress)
        scheduleReport()
    }
}
