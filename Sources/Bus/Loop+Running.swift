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
