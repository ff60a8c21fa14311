public import Bus
public import FleetProtocol

/// Asks the supervisor of a local fleet, one request after the other.
///
/// Everything it has is the loop's thread's.
public actor SupervisorClient {
    private let loop: Loop
    private var socket: Socket?
    private var waiter: CheckedContinuation<SupervisorReply?, Never>?
    private var deadline: TimerID?

    private init(on loop: Loop) {
        self.loop = loop
    }

    /// The loop, whose thread runs whatever is isolated to the client.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Asks once.
    ///
    /// - Parameters:
    ///   - endpoint: The supervisor's socket; nobody needs to be there.
    ///   - patience: The longest wait for the answer.
    /// - Returns: The answer; nil when none came in time, or the task was cancelled.
    /// - Throws: `BusError` when there can be no socket.
    public static func ask(
        _ request: SupervisorRequest, at endpoint: Endpoint, patience: Duration
    ) async throws -> SupervisorReply? {
        try await withClient(at: endpoint) { await $0.ask(request, patience: patience) }
    }

    /// Does something with a connection to the supervisor, and closes it.
    ///
    /// - Parameter endpoint: The supervisor's socket; nobody needs to be there.
    /// - Throws: `BusError` when there can be no socket, and what the work throws.
    public static func withClient<Value: Sendable>(
        at endpoint: Endpoint, _ work: (SupervisorClient) async throws -> Value
    ) async throws -> Value {
        try await Loop.withThread(name: "supervisor") { loop in
            let client = SupervisorClient(on: loop)
            try await client.open(endpoint)
            return try await work(client)
        }
    }

    /// The request is queued until the connection is there: `immediate` would refuse to send it before.
    private func open(_ endpoint: Endpoint) throws(BusError) {
        var options = SocketOptions.defaults(for: .dealer)
        options.immediate = false
        let socket = try Socket(.dealer, context: loop.context, options: options)
        try socket.connect(endpoint)
        loop.register(socket) { self.assumeIsolated { $0.drain() } }
        self.socket = socket
    }

    /// Asks.
    ///
    /// An answer that comes too late is taken for the next one's: whoever goes on asking begins with another
    /// connection.
    ///
    /// - Parameter patience: The longest wait for the answer.
    /// - Returns: The answer; nil when none came in time, or the task was cancelled.
    /// - Precondition: No other request waits.
    public func ask(_ request: SupervisorRequest, patience: Duration) async -> SupervisorReply? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(request, patience: patience, continuation)
            }
        } onCancel: {
            Task { await self.finish(nil) }
        }
    }

    private func begin(
        _ request: SupervisorRequest, patience: Duration,
        _ continuation: CheckedContinuation<SupervisorReply?, Never>
    ) {
        precondition(waiter == nil, "one request after the other")
        waiter = continuation
        deadline = loop.schedule(after: patience) { self.assumeIsolated { $0.finish(nil) } }
        guard !Task.isCancelled else { return finish(nil) }
        do {
            guard try socket?.send(delimited: request.wireBytes) == .sent else { return finish(nil) }
        } catch {
            preconditionFailure("the supervisor's socket fails on its own thread: \(error)")
        }
    }

    private func drain() {
        var frames = Frames()
        do {
            while try socket?.receive(into: &frames) == true {
                guard frames.count == 2, frames.byteCount(at: 0) == 0 else { continue }
                finish(try SupervisorReply(wireBytes: frames[1]))
            }
        } catch let error as WireError {
            finish(SupervisorReply(failure: "the supervisor's answer cannot be read: \(error)"))
        } catch {
            preconditionFailure("the supervisor's socket fails on its own thread: \(error)")
        }
    }

    private func finish(_ reply: SupervisorReply?) {
        if let deadline { loop.cancel(deadline) }
        deadline = nil
        waiter?.resume(returning: reply)
        waiter = nil
    }
}
