/// The events of one monitored socket, for one reader to await.
///
/// Any task may read them. They end after `stopped`, or when the monitor is closed; the end of its loop
/// closes it, and so does a reader that is cancelled or lets go of the sequence. Two readers would share
/// the events between them.
///
/// Up to a limit of unread events are kept; beyond it the oldest gives way to the newest, and the numbers of
/// the reports have a gap there. The loop never waits for the reader.
public struct ConnectionEvents: AsyncSequence, Sendable {
    private let stream: AsyncStream<ConnectionReport>

    init(_ stream: AsyncStream<ConnectionReport>) {
        self.stream = stream
    }

    /// The reader's place in the events, whose `next()` is nil once they have ended or the task is cancelled.
    public func makeAsyncIterator() -> AsyncStream<ConnectionReport>.Iterator {
        stream.makeAsyncIterator()
    }
}
