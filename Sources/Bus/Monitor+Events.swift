extension Monitor {
    /// The events as a sequence to await, instead of a handler that is called with them.
    ///
    /// The loop reads them from now on, and keeps the monitor until it or its socket is closed, or until the
    /// reader has gone.
    ///
    /// - Parameters:
    ///   - loop: The loop of the monitored socket's thread.
    ///   - limit: The most unread events kept, at least 1; beyond it the oldest gives way to the newest.
    /// - Precondition: On the loop's thread; neither this nor ``onEvent(on:_:)`` was called before.
    public func events(on loop: Loop, limit: Int = 1_024) -> ConnectionEvents {
        precondition(limit > 0, "a limit of \(limit) unread events keeps none")
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionReport.self, bufferingPolicy: .bufferingNewest(limit))
        let feed = ConnectionFeed(of: self, into: continuation)
        onEvent(on: loop) { event, endpoint in feed.report(event, at: endpoint) }
        continuation.onTermination = { [weak feed] termination in
            guard case .cancelled = termination else { return }
            loop.perform { [weak feed] in feed?.close() }
        }
        return ConnectionEvents(stream)
    }
}
