extension Loop {
    /// Runs work on the loop's thread once a time has passed.
    ///
    /// - Precondition: On the loop's thread.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> TimerID {
        schedule(at: ContinuousClock.now + delay, work)
    }

    /// Runs work on the loop's thread at an instant or soon after, and in the next turn if it has passed.
    ///
    /// Timers run in the order of their instants, and of their scheduling where those are equal.
    ///
    /// - Precondition: On the loop's thread.
    @discardableResult
    public func schedule(at deadline: ContinuousClock.Instant, _ work: @escaping () -> Void) -> TimerID {
        claimThread()
        return timers.schedule(at: deadline, work)
    }

    /// Takes a timer back.
    ///
    /// - Precondition: On the loop's thread.
    /// - Returns: Whether it was still to run.
    @discardableResult
    public func cancel(_ timer: TimerID) -> Bool {
        claimThread()
        let cancelled = timers.cancel(timer)
        return cancelled != nil
    }
}
