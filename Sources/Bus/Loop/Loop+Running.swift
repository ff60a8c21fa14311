internal import CZMQ
internal import Glibc
internal import Synchronization

extension Loop {
    /// Gives the current thread to the loop until ``stop()``, or until the context is terminated.
    ///
    /// Before it returns it does what was enqueued. Then it lets go of the handlers and timers; the sockets
    /// stay open and the caller's.
    ///
    /// - Precondition: The loop has not run before, and belongs to this thread or none.
    public func run() {
        claimThread()
        runTurns()
        _ = releaseHandlers()
        end()
    }

    /// Lets waits begin awake, for up to that long each, as long as that mostly finds something; without this
    /// they sleep at once.
    ///
    /// It takes the time of a wake-up, some ten microseconds, off each answer to a peer who asks for one
    /// thing after another, and nothing where much is asked for at once. It is for processes that others wait
    /// for, and a hundred microseconds are enough; up to so much of the processor's time is lost with each
    /// wait in vain, of which there are few.
    ///
    /// - Precondition: On the loop's thread; the limit is below a millisecond.
    public func busyPoll(upTo limit: Duration) {
        claimThread()
        precondition(limit < .milliseconds(1), "busy polling is for microseconds")
        busyPoll.limit = limit
    }

    /// Takes turns until stopped, then runs what is enqueued still.
    func runTurns() {
        mailbox.withLock { $0.begin() }
        nextWake = .zero
        precision.begin()
        while takeTurn() {}
        precision.end()
        drainWork()
    }

    /// Lets go of every handler, so that the loop and its users do not keep each other; gives the sockets.
    func releaseHandlers() -> [Socket] {
        // Letting go may run code that comes back to the loop, so it happens when nothing is being changed.
        let released = (turnHandlers, timers)
        turnHandlers = []
        timers = TimerQueue()
        registrations.removeAll()
        let retired = registrations.takeRetired()
        return withExtendedLifetime(released) { retired.compactMap(\.socket) }
    }

    /// Lets go of the thread, and tells those who wait for the end.
    func end() {
        owner.store(Self.noThread, ordering: .relaxed)
        let (action, waiters) = mailbox.withLock { $0.end() }
        act(on: action)
        for waiter in waiters { waiter.resume() }
    }

    /// One turn; false when the loop is to end instead.
    private func takeTurn() -> Bool {
        registrations.prepare(wakeDescriptor: wakeDescriptor)
        _ = registrations.takeRetired()
        let start = mailbox.withLock { $0.beginTurn(after: batch) }
        if start == .stopped { return false }
        guard waitForReadiness(atMost: start == .wait ? waitLimit() : .zero) == .waited else {
            stop()
            return false
        }
        mailbox.withLock { $0.wakeUp(taking: &batch) }
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
    /// A function of its own so that a profile tells waiting from working.
    ///
    /// - Parameter limit: The longest wait; nil for no limit.
    @inline(never)
    private func waitForReadiness(atMost limit: Duration?) -> PollSet.Outcome {
        registrations.polled.wait(atMost: limit, &busyPoll)
    }

    /// The time until the loop has to wake, rounded up so that it is due then; nil for no limit.
    private func waitLimit() -> Duration? {
        guard let nextWake else { return nil }
        return precision.limit(of: nextWake - origin.duration(to: .now))
    }

    private func resetWakeDescriptor() {
        var count: eventfd_t = 0
        // Fails only when the count is 0 already, and then there is nothing to reset.
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

    /// Sees to it that the next wait ends at an instant, if it would not before.
    func wake(notAfter instant: ContinuousClock.Instant) {
        let due = origin.duration(to: instant)
        nextWake = min(nextWake ?? due, due)
    }

    /// Runs the work that is enqueued, and what that enqueues, a limited number of times over.
    private func drainWork() {
        for _ in 0..<Self.drainRounds {
            while let work = batch.popFirst() { work.run(on: asUnownedSerialExecutor()) }
            mailbox.withLock { $0.wakeUp(taking: &batch) }
            if batch.isEmpty { return }
        }
        while let work = batch.popFirst() { work.run(on: asUnownedSerialExecutor()) }
    }
}

extension Loop {
    /// Calls a handler in each turn in which a socket has a message.
    ///
    /// The handler should drain the socket up to a limit of its own; what it leaves is its in the next
    /// turn. The loop keeps the socket and the handler until ``unregister(_:)-(Socket)``, until the socket
    /// is closed, or until the loop goes.
    ///
    /// - Precondition: On the loop's thread; the socket is open and not registered.
    public func register(_ socket: Socket, onReadable: @escaping () -> Void) {
        register(socket, awaiting: .readable, onReady: onReadable)
    }

    /// Calls a handler in each turn in which a socket has what is awaited, as ``register(_:onReadable:)``
    /// does.
    func register(_ socket: Socket, awaiting awaited: Readiness, onReady: @escaping () -> Void) {
        claimThread()
        registrations.add(Registration(.socket(socket), awaiting: awaited, onReady: onReady))
    }

    /// Changes what a registered socket's handler is called for.
    ///
    /// - Precondition: On the loop's thread.
    func setAwaited(_ awaited: Readiness, of socket: Socket) {
        claimThread()
        registrations.setAwaited(awaited, at: .socket(socket))
    }

    /// Calls a handler in each turn in which a file descriptor can be read, has an error or was hung up.
    ///
    /// The descriptor stays the caller's, who must unregister it before closing it.
    ///
    /// - Precondition: On the loop's thread; the descriptor is open and not registered.
    public func register(fileDescriptor: Int32, onReadable: @escaping () -> Void) {
        claimThread()
        let source = Registration.Source.fileDescriptor(fileDescriptor)
        registrations.add(Registration(source, awaiting: .readable, onReady: onReadable))
    }

    /// Stops calling a socket's handler at once, and lets go of both in the next turn.
    ///
    /// Does nothing if the socket is not registered.
    ///
    /// - Precondition: On the loop's thread.
    public func unregister(_ socket: Socket) {
        claimThread()
        registrations.remove(.socket(socket))
    }

    /// Stops calling a descriptor's handler at once, and lets go of it in the next turn.
    ///
    /// Does nothing if the descriptor is not registered.
    ///
    /// - Precondition: On the loop's thread.
    public func unregister(fileDescriptor: Int32) {
        claimThread()
        registrations.remove(.fileDescriptor(fileDescriptor))
    }

    /// Calls a handler at the end of each turn with the time, to do what is due.
    ///
    /// It returns when it wants to be called at the latest, or nil when only a message matters. It is
    /// called in the first turn, and in every turn after, whatever the turn was for. The loop keeps it.
    ///
    /// - Precondition: On the loop's thread.
    public func onTurn(_ handler: @escaping (ContinuousClock.Instant) -> ContinuousClock.Instant?) {
        claimThread()
        turnHandlers.append(handler)
        wake(notAfter: .now)
    }
}
