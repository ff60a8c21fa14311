internal import CZMQ
internal import Glibc
internal import Synchronization

extension Loop {
    /// Runs the loop on the current thread until ``stop()``, or until the context is terminated.
    ///
    /// Before it returns it runs the enqueued work, then releases handlers and timers. The sockets stay open
    /// and belong to the caller.
    ///
    /// - Precondition: The loop has not run before, and belongs to this thread or none.
    public func run() {
        claimThread()
        runTurns()
        _ = releaseHandlers()
        end()
    }

    /// Enables busy polling: a wait polls repeatedly for up to the limit before it sleeps, as long as most
    /// such polls succeed.
    ///
    /// It saves the time of a wake-up, some ten microseconds, in each reply to a peer that sends one request
    /// after another; with many concurrent requests it saves nothing. It is for processes whose replies
    /// others await, and a hundred microseconds are enough. A poll in vain costs up to the limit in processor
    /// time; the loop makes few of them.
    ///
    /// - Precondition: On the loop's thread; the limit is below a millisecond.
    public func busyPoll(upTo limit: Duration) {
        claimThread()
        precondition(limit < .milliseconds(1), "busy polling is for microseconds")
        busyPoll.limit = limit
    }

    /// Runs turns until stopped, then runs the enqueued work.
    func runTurns() {
        mailbox.withLock { $0.begin() }
        nextWake = .zero
        precision.begin()
        while runTurn() {}
        precision.end()
        drainWork()
    }

    /// Releases every handler, to break reference cycles with the loop's users, and returns the sockets.
    func releaseHandlers() -> [Socket] {
        // A release may run code that calls the loop, so it happens after all fields have changed.
        let released = (turnHandlers, timers)
        turnHandlers = []
        timers = TimerQueue()
        registrations.removeAll()
        let retired = registrations.popRetired()
        return withExtendedLifetime(released) { retired.compactMap(\.socket) }
    }

    func end() {
        owner.store(Self.noThread, ordering: .relaxed)
        let (action, waiters) = mailbox.withLock { $0.end() }
        act(on: action)
        for waiter in waiters { waiter.resume() }
    }

    private func runTurn() -> Bool {
        registrations.prepare(wakeDescriptor: wakeDescriptor)
        _ = registrations.popRetired()
        let start = mailbox.withLock { $0.beginTurn(after: batch) }
        if start == .stopped { return false }
        guard waitForReadiness(atMost: start == .wait ? waitLimit() : .zero) == .waited else {
            stop()
            return false
        }
        mailbox.withLock { $0.wakeUp(draining: &batch) }
        if registrations.polled.wasWoken { resetWakeDescriptor() }
        callReady()
        runWork()
        let now = ContinuousClock.now
        runTimers(at: now)
        callTurnHandlers(at: now)
        return true
    }

    /// Waits until a socket or descriptor is ready, the timeout is over or another thread wakes the loop.
    ///
    /// It is not inlined, so that a profile separates waiting from working.
    ///
    /// - Parameter limit: The longest wait; nil for no limit.
    @inline(never)
    private func waitForReadiness(atMost limit: Duration?) -> PollSet.Outcome {
        registrations.polled.wait(atMost: limit, &busyPoll)
    }

    /// The time until the loop has to wake, rounded up to avoid an early wake-up; nil for no limit.
    private func waitLimit() -> Duration? {
        guard let nextWake else { return nil }
        return precision.limit(of: nextWake - origin.duration(to: .now))
    }

    private func resetWakeDescriptor() {
        var count: eventfd_t = 0
        // Fails only when the count is 0 already, which needs no reset.
        _ = eventfd_read(wakeDescriptor, &count)
    }

    private func callReady() {
        for index in registrations.polled.registrations.indices {
            registrations.polled.ready(at: index)?.onReady()
        }
    }

    private func runWork() {
        for _ in 0..<Self.workPerTurn {
            guard let work = batch.popFirst() else { return }
            work.run(on: asUnownedSerialExecutor())
        }
    }

    private func runTimers(at now: ContinuousClock.Instant) {
        if timers.isEmpty { return }
        let newest = timers.newest
        while let work = timers.popDue(at: now, notAfter: newest) { work() }
    }

    private func callTurnHandlers(at now: ContinuousClock.Instant) {
        nextWake = nil
        for handler in turnHandlers {
            if let instant = handler(now) { wake(notAfter: instant) }
        }
        if let deadline = timers.nextDeadline { wake(notAfter: deadline) }
    }

    /// Limits the next wait to end at an instant, unless it ends earlier.
    func wake(notAfter instant: ContinuousClock.Instant) {
        let due = origin.duration(to: instant)
        nextWake = min(nextWake ?? due, due)
    }

    /// Runs the enqueued work, and the work that this enqueues, in a limited number of rounds.
    private func drainWork() {
        for _ in 0..<Self.drainRounds {
            while let work = batch.popFirst() { work.run(on: asUnownedSerialExecutor()) }
            mailbox.withLock { $0.wakeUp(draining: &batch) }
            if batch.isEmpty { return }
        }
        while let work = batch.popFirst() { work.run(on: asUnownedSerialExecutor()) }
    }
}

extension Loop {
    /// Calls a handler in each turn in which a socket has a message.
    ///
    /// The handler should drain the socket up to a limit of its own; the next turn calls it again for the
    /// rest. The loop retains the socket and the handler until ``unregister(_:)-(Socket)``, until the socket
    /// is closed, or until the loop ends.
    ///
    /// - Precondition: On the loop's thread; the socket is open and not registered.
    public func register(_ socket: Socket, onReadable: @escaping () -> Void) {
        register(socket, awaiting: .readable, onReady: onReadable)
    }

    func register(_ socket: Socket, awaiting awaited: Readiness, onReady: @escaping () -> Void) {
        claimThread()
        registrations.add(Registration(.socket(socket), awaiting: awaited, onReady: onReady))
    }

    /// Changes the readiness that a registered socket awaits, on the loop's thread.
    func setAwaited(_ awaited: Readiness, of socket: Socket) {
        claimThread()
        registrations.setAwaited(awaited, at: .socket(socket))
    }

    /// Calls a handler in each turn in which a file descriptor can be read, has an error or was hung up.
    ///
    /// The caller owns the descriptor, and must unregister it before closing it.
    ///
    /// - Precondition: On the loop's thread; the descriptor is open and not registered.
    public func register(fileDescriptor: Int32, onReadable: @escaping () -> Void) {
        claimThread()
        let source = Registration.Source.fileDescriptor(fileDescriptor)
        registrations.add(Registration(source, awaiting: .readable, onReady: onReadable))
    }

    /// Stops calling a socket's handler at once, and releases both in the next turn.
    ///
    /// Does nothing if the socket is not registered.
    ///
    /// - Precondition: On the loop's thread.
    public func unregister(_ socket: Socket) {
        claimThread()
        registrations.remove(.socket(socket))
    }

    /// Stops calling a descriptor's handler at once, and releases the handler in the next turn.
    ///
    /// Does nothing if the descriptor is not registered.
    ///
    /// - Precondition: On the loop's thread.
    public func unregister(fileDescriptor: Int32) {
        claimThread()
        registrations.remove(.fileDescriptor(fileDescriptor))
    }

    /// Calls a handler at the end of each turn with the current time, for due work.
    ///
    /// The handler returns the latest instant for its next call, or nil for no limit. The loop calls it in
    /// every turn, from the first on, for any wake-up. The loop retains it.
    ///
    /// - Precondition: On the loop's thread.
    public func onTurn(_ handler: @escaping (ContinuousClock.Instant) -> ContinuousClock.Instant?) {
        claimThread()
        turnHandlers.append(handler)
        wake(notAfter: .now)
    }
}
