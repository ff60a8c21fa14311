import Bus
import FleetProtocol
import LoadCore

/// An echo server that replaces the fleet in the self-test of the load tester. It has its own thread, context
/// and Unix socket, like a controller. So each request goes through all of the tester: schedule, encoding,
/// libzmq, socket, and back. All state belongs to the loop's thread.
actor EchoFleet {
    /// The maximum of frames answered in one turn.
    private static let framesPerTurn = 64
    /// The maximum of queued messages in each direction: one second's at a high rate.
    private static let highWaterMark = 100_000

    private let loop: Loop
    private var socket: Socket?
    private var frames = Frames()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(on loop: Loop) { self.loop = loop }

    /// Runs work while an echo server answers at an endpoint.
    static func use<Value: Sendable>(
        at endpoint: Endpoint, _ work: () async throws -> Value
    ) async throws -> Value {
        try await Loop.withThread(name: "echo") { loop in
            let echo = EchoFleet(on: loop)
            try await echo.open(at: endpoint)
            return try await work()
        }
    }

    private func open(at endpoint: Endpoint) throws(BusError) {
        var options = SocketOptions.defaults(for: .router)
        options.sendHighWaterMark = Self.highWaterMark
        options.receiveHighWaterMark = Self.highWaterMark
        let socket = try Socket(.router, context: loop.context, options: options)
        try socket.bind(endpoint)
        loop.register(socket) { self.assumeIsolated { $0.drain() } }
        self.socket = socket
    }

    private func drain() {
        guard let socket else { return }
        do {
            for _ in 0..<Self.framesPerTurn {
                guard try socket.receive(into: &frames) else { return }
                guard frames.count == 3, let peer = frames.routingID(at: 0) else { continue }
                for reply in Self.replies(to: ReceivedFrame(frames.array(at: 2))) {
                    _ = try socket.send(to: peer, delimited: reply)
                }
            }
        } catch {
            preconditionFailure("an echo server's socket fails on its own thread: \(error)")
        }
    }

    private static func replies(to frame: ReceivedFrame) -> [[UInt8]] {
        var (replies, writer): ([[UInt8]], FrameWriter) = ([], FrameWriter())
        frame.forEach { place throws(WireError) in
            let reply = EchoedReply.reply(to: try ClientRequest(wireBytes: frame.bytes, in: place))
            if let full = writer.append(reply.wireBytes) { replies.append(full) }
        } refuse: {
            preconditionFailure("the tester's own request cannot be read: \($0)")
        }
        if let last = writer.finish() { replies.append(last) }
        return replies
    }
}
