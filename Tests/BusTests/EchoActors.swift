import Bus

/// A client as the library intends it: an actor on the loop's thread that owns its socket there.
actor EchoClient {
    private let loop: Loop
    private var socket: Socket?
    private var frames = Frames()
    private var waiting: (continuation: CheckedContinuation<[UInt8]?, Never>, deadline: TimerID)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: Loop) {
        self.loop = loop
    }

    var isOnThread: Bool { loop.isOnThread }

    var isSocketClosed: Bool? { socket?.isClosed }

    func open(_ endpoint: Endpoint) throws {
        let socket = try Socket(.dealer, context: loop.context)
        try socket.connect(endpoint)
        self.socket = socket
        loop.register(socket) { [unowned self] in assumeIsolated { $0.drain() } }
    }

    /// The reply to a request, one at a time; nil if it could not be sent or had no reply in time.
    func request(_ payload: [UInt8], within limit: Duration = .seconds(20)) async -> [UInt8]? {
        guard let result = try? socket?.send(delimited: payload), result == .sent else { return nil }
        return await withCheckedContinuation { continuation in
            let deadline = loop.schedule(after: limit) { [unowned self] in assumeIsolated { $0.answer(nil) } }
            waiting = (continuation, deadline)
        }
    }

    func shutdown() async {
        await loop.shutdown()
    }

    private func drain() {
        while let isReceived = try? socket?.receive(into: &frames), isReceived { answer(frames[1]) }
    }

    private func answer(_ payload: [UInt8]?) {
        guard let (continuation, deadline) = waiting else { return }
        waiting = nil
        loop.cancel(deadline)
        continuation.resume(returning: payload)
    }
}

/// Sends every request back to its sender.
actor EchoServer {
    private let loop: Loop
    private var socket: Socket?
    private var frames = Frames()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: Loop) {
        self.loop = loop
    }

    func open(_ endpoint: Endpoint) throws {
        let socket = try Socket(.router, context: loop.context)
        try socket.bind(endpoint)
        self.socket = socket
        loop.register(socket) { [unowned self] in assumeIsolated { $0.drain() } }
    }

    private func drain() {
        while let socket, let isReceived = try? socket.receive(into: &frames), isReceived {
            guard let peer = frames.routingID(at: 0) else { continue }
            _ = try? socket.send(to: peer, delimited: frames[2])
        }
    }
}
