import Bus
import CBench

extension SocketOptions {
    /// The socket options of both sides of a comparison.
    static var bench: SocketOptions {
        var options = SocketOptions()
        options.sendHighWaterMark = Int(BENCH_MARK)
        options.receiveHighWaterMark = Int(BENCH_MARK)
        options.sendTimeout = .milliseconds(Int(BENCH_TIMEOUT_MS))
        options.receiveTimeout = .milliseconds(Int(BENCH_TIMEOUT_MS))
        options.heartbeat = nil
        return options
    }
}
