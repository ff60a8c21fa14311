import Bus
import FleetProtocol
import FleetTime
import LoadCore
import UserText

/// Carries loads out over connections of its own: the shell around ``Load``.
///
/// Everything it has is its loop's thread's. One load at a time; the connections stay from one to the next.
actor LoadDriver {
    /// How long the controller may take to answer on a new connection.
    static let greetingPatience: Duration = .seconds(5)
    /// How often it is greeted.
    private static let greetingInterval: Duration = .milliseconds(20)
    /// How often whoever watches is told.
    private static let tellingInterval: Duration = .seconds(1)
    /// Messages sent, and received of each connection, in one turn: neither keeps the other waiting.
    private static let messagesPerTurn = 64
    /// Messages queued on one connection, either way: those of a second at a high rate.
    private static let highWaterMark = 100_000
    /// From when a load is made until it begins: to bring a million devices into an order takes a while.
    private static let headStart: Duration = .milliseconds(100)
    /// The correlation of greetings, which no request of a load has.
    private static let greetingCorrelation: UInt64 = 0

    /// Who waits for the first answer on each of these connections.
    private struct Greeting {
        var awaited: Set<Int>
        let waiter: CheckedContinuation<CommandFailure?, Never>
    }

    private let loop: Loop
    private let token: Token
    private let now: @Sendable () -> Moment
    private let idSeed: UInt64
    private let watcher: AsyncStream<LoadProgress>.Continuation
    private var sockets: [Socket] = []
    private var frames = Frames()
    private var greeting: Greeting?
    private var load: Load?
    /// The meter of the loop's thread; nil before the first load.
    private var meter: ThreadMeter?
    private var loadWaiter: CheckedContinuation<Load, any Error>?
    private var tellingTimer: TimerID?
    private var interruptions = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// A driver on the thread of a loop.
    ///
    /// - Parameters:
    ///   - token: The session that it shows.
    ///   - watcher: Told each second where a load stands.
    init(
        on loop: Loop, token: Token, surroundings: Surroundings,
        watcher: AsyncStream<LoadProgress>.Continuation
    ) {
        (self.loop, self.token, self.watcher) = (loop, token, watcher)
        now = surroundings.now
        idSeed = surroundings.randomBits()
    }

    /// Opens connections, and waits until the controller has answered on each.
    ///
    /// - Throws: `CommandFailure` when it does not, `BusError` when there can be no socket.
    func connect(_ count: Int, to endpoint: Endpoint) async throws {
        var options = SocketOptions.defaults(for: .dealer)
        options.sendHighWaterMark = Self.highWaterMark
        // What is due while the controller is away waits for it, and no answer is lost that came before.
        options.immediate = false
        for index in 0..<count {
            let socket = try Socket(.dealer, context: loop.context, options: options)
            try socket.connect(endpoint)
            loop.register(socket) { self.assumeIsolated { $0.drain(index) } }
            sockets.append(socket)
        }
        let failure = await withCheckedContinuation { continuation in
            greeting = Greeting(awaited: Set(0..<count), waiter: continuation)
            loop.schedule(after: Self.greetingPatience) {
                self.assumeIsolated { $0.endGreeting(Self.silence) }
            }
            greet()
        }
        if let failure { throw failure }
        loop.onTurn { _ in self.assumeIsolated { $0.turn() } }
    }

    /// Carries a load out, and returns when everything that it sent has ended.
    ///
    /// - Throws: `BusError` when a connection cannot be used.
    func run(_ plan: LoadPlan, on devices: [DeviceID]) async throws -> Load {
        precondition(load == nil, "one load at a time")
        LoadRehearsal.run(plan, token: token)
        meter = meter ?? ThreadMeter()
        let start = now().monotonic.advanced(by: Self.headStart)
        // Other ids in each load of a sweep: they must never come again.
        let seed = idSeed &+ UInt64(bitPattern: start.nanoseconds)
        return try await withCheckedThrowingContinuation { continuation in
            load = Load(plan, devices: devices, token: token, idSeed: seed, startingAt: start)
            if interruptions > 0 { load?.stop(at: now().monotonic) }
            loadWaiter = continuation
            tell()
        }
    }

    /// Ends the load: the first time it only sends nothing new, the second time it waits for nothing any
    /// more.
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

    /// Asks on each connection that was not answered yet, and again until all are.
    private func greet() {
        guard let greeting else { return }
        let bytes = ClientRequest(correlation: Self.greetingCorrelation, token: token, body: .status)
            .wireBytes
        do {
            // Where it cannot leave yet, it does the next time.
            for index in greeting.awaited.sorted() { _ = try sockets[index].send(delimited: bytes) }
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

    /// Sends what is due, and says when it wants to be called again.
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

    private func send() throws(BusError) {
        for _ in 0..<Self.messagesPerTurn {
            let now = now()
            guard let message = load?.nextMessage(at: now) else { return }
            let bytes = message.request.wireBytes
            if try sockets[message.connection].send(delimited: bytes) == .sent {
                load?.left(message, at: now.monotonic)
            } else {
                load?.blocked(message, at: now.monotonic)
            }
        }
    }

    private func drain(_ index: Int) {
        do {
            for _ in 0..<Self.messagesPerTurn {
                guard try sockets[index].receive(into: &frames) else { return }
                guard frames.count == 2, frames.byteCount(at: 0) == 0 else { continue }
                let reply = try ClientReply(wireBytes: frames.array(at: 1))
                if reply.correlation == Self.greetingCorrelation {
                    greeted(reply, on: index)
                } else {
                    load?.answered(reply, at: now().monotonic)
                }
            }
        } catch is WireError {
            // What cannot be read answers nothing: its request will be counted as not answered.
        } catch {
            finish(throwing: error)
        }
    }

    private func finish(throwing error: (any Error)? = nil) {
        guard let load, let loadWaiter else { return }
        self.load = nil
        self.loadWaiter = nil
        if let tellingTimer { loop.cancel(tellingTimer) }
        if let error { loadWaiter.resume(throwing: error) } else { loadWaiter.resume(returning: load) }
    }

    // MARK: Telling

    private func tellLater() {
        tellingTimer = loop.schedule(after: Self.tellingInterval) { self.assumeIsolated { $0.tell() } }
    }

    /// Reports the progress, and records the resources that this thread has used.
    private func tell() {
        let now = now().monotonic
        guard let progress = load?.progress(at: now) else { return }
        if let use = meter?.use { load?.note(use, at: now) }
        watcher.yield(progress)
        tellLater()
    }
}
