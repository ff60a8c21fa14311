extension Loop {
    /// Runs a piece of a task on the loop's thread; called by the runtime for actors pinned here.
    public func enqueue(_ job: consuming ExecutorJob) {
        post(.job(UnownedJob(job)))
    }

    /// What an actor returns from `unownedExecutor` to be pinned to the loop's thread.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Stops the process unless on the loop's thread; called by the runtime for `assumeIsolated`.
    public func checkIsolated() {
        precondition(isOnThread, "not on the thread of loop \(name)")
    }

    /// Whether on the loop's thread; called by the runtime before it would call ``checkIsolated()``.
    public func isIsolatingCurrentContext() -> Bool? {
        isOnThread
    }
}
