/// Numbers the events of a monitor and passes them to their reader, whose sequence ends when this goes.
///
/// Only the loop's registration of the monitor keeps it, so it goes when the monitor or the loop ends, on the
/// loop's thread.
///
/// `@unchecked Sendable`: other threads hold it weakly, and only to send it to the loop's thread, which is
/// the only one to reach its fields. After the loop has let go of it there is nothing left to reach.
final class ConnectionFeed: @unchecked Sendable {
    private let monitor: Monitor
    private let continuation: AsyncStream<ConnectionReport>.Continuation
    private var lastNumber: UInt64 = 0

    init(of monitor: Monitor, into continuation: AsyncStream<ConnectionReport>.Continuation) {
        self.monitor = monitor
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }

    func report(_ event: ConnectionEvent, at endpoint: String) {
        lastNumber += 1
        continuation.yield(ConnectionReport(number: lastNumber, event: event, endpoint: endpoint))
    }

    /// Ends the monitor, whose events nobody reads any more.
    func close() {
        monitor.close()
    }
}
