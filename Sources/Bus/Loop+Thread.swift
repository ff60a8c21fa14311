internal import Glibc
internal import Synchronization

extension Loop {
    /// Makes a loop with a thread of its own, and returns once that runs.
    ///
    /// The thread keeps the loop until ``shutdown()``: a loop that is never shut down is never freed.
    ///
    /// - Parameters:
    ///   - name: The name of the thread, of which the system shows 15 bytes.
    ///   - context: The process's context.
    ///   - precision: How exactly it wakes for timers.
    /// - Throws: `outOfResources` when the system allows no more threads, `tooManySockets`.
    public static func start(
        name: String, context: Context, precision: TimerPrecision = .millisecond
    ) throws(BusError) -> Loop {
        let loop = try Loop(name: name, context: context, precision: precision, ownsThread: true)
        let hasStarted = Latch()
        try DetachedThread.start(name: name) {
            loop.claimThread()
            hasStarted.open()
            loop.runTurns()
            for socket in loop.releaseHandlers() { socket.close() }
            loop.end()
        }
        hasStarted.wait()
        return loop
    }

    /// Ends the thread of a started loop, and returns when it ended; from anywhere, more than once.
    ///
    /// What was enqueued is run first; then the registered sockets are closed on their thread. Other
    /// sockets are their owners' to close before. What is registered or scheduled later is never called. It
    /// waits for what is running, so it does not heed cancellation.
    ///
    /// - Precondition: The loop was made by ``start(name:context:precision:)``.
    public func shutdown() async {
        precondition(ownsThread, "loop \(name) is driven by run(); end it with stop()")
        stop()
        await withCheckedContinuation { waiter in
            if !mailbox.withLock({ $0.awaitEnd(waiter) }) { waiter.resume() }
        }
    }

    /// Runs what came after the end: a task must not wait for ever for an actor whose loop has gone.
    func startLateThread() {
        do throws(BusError) {
            try DetachedThread.start(name: name) { self.runLate() }
        } catch {
            preconditionFailure("loop \(name) ended and cannot run what is enqueued: \(error)")
        }
    }

    private func runLate() {
        owner.store(pthread_self(), ordering: .relaxed)
        while let late = takeLate() {
            for work in late { work.run(on: asUnownedSerialExecutor()) }
        }
    }

    /// The next late work; when there is none the thread lets go of the loop before another can take it.
    private func takeLate() -> [Work]? {
        mailbox.withLock { mailbox in
            let late = mailbox.takeLate()
            if late == nil { owner.store(Self.noThread, ordering: .relaxed) }
            return late
        }
    }
}
