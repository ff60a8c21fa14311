import Bus
import CBench
import CoreParts
import Foundation

/// Messages from a PUSH to a PULL over ipc, with `Bus` and with libzmq in C; each has a thread and a context.
enum OneWay {
    static let messages = 500_000

    /// Returns the messages a second with libzmq in C.
    static func bare(in directory: BenchDirectory) throws -> Double {
        var nanoseconds: UInt64 = 0
        let failure = bench_bare_one_way(directory.endpoint("bare"), messages, &nanoseconds)
        guard failure == 0 else { throw BenchFailure.bareLibZMQ(failure) }
        return Double(messages) / Double(nanoseconds) * 1e9
    }

    /// Returns the messages a second with `Bus`.
    static func bus(in directory: BenchDirectory) throws -> Double {
        let endpoint = try Endpoint(directory.endpoint("bus"))
        let (pulling, pushing) = (try Context(), try Context())
        let pull = try Socket(.pull, context: pulling, options: .bench)
        try pull.bind(endpoint)
        let pusher = Thread {
            do {
                try push(to: endpoint, in: pushing)
            } catch {
                // The receiver waits for a bounded time, and reports a timeout.
                return
            }
        }
        pusher.start()
        var frames = Frames()
        // One message in advance, so that the connection exists before the measurement begins.
        guard try pull.receiveWaiting(into: &frames) else { throw BenchFailure.noReply }
        let began = ContinuousClock.now
        for _ in 0..<messages {
            guard try pull.receiveWaiting(into: &frames) else { throw BenchFailure.noReply }
        }
        let elapsed = ContinuousClock.now - began
        pull.close()
        pulling.terminate()
        return Double(messages) / (elapsed / .seconds(1))
    }

    private static func push(to endpoint: Endpoint, in context: Context) throws {
        var options = SocketOptions.bench
        // Messages that are queued when the last call returns have yet to arrive.
        options.linger = .milliseconds(Int(BENCH_TIMEOUT_MS))
        let push = try Socket(.push, context: context, options: options)
        try push.connect(endpoint)
        let message = [[UInt8](repeating: 1, count: Int(BENCH_BODY_BYTES))]
        for _ in 0...messages {
            guard try push.sendWaiting(message) == .sent else { throw BenchFailure.noReply }
        }
        push.close()
        context.terminate()
    }
}
