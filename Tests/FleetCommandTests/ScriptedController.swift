import Bus
import FleetProtocol
import ProcessSupport

@testable import fleet

/// A controller with a test's replies, at the socket where commands expect it.
///
/// All its state belongs to its loop's thread.
actor ScriptedController {
    /// The reply; nil for none.
    typealias Script = @Sendable (ClientRequest.Body) -> ClientReply.Body?
    /// The delay before each reply.
    typealias Delay = @Sendable (ClientRequest.Body) -> Duration
    /// Whether all connections are lost in place of a reply.
    typealias Loss = @Sendable (ClientRequest.Body) -> Bool

    private let loop: Loop
    private let context: Context
    private let script: Script
    private let delay: Delay?
    private let loses: Loss?
    private let endpoint: Endpoint
    private var socket: Socket?
    /// The largest number of requests in one frame.
    private(set) var largestFrame = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(
        on loop: Loop, context: Context, at endpoint: Endpoint, delay: Delay?, loses: Loss?,
        script: @escaping Script
    ) {
        (self.loop, self.context, self.endpoint) = (loop, context, endpoint)
        (self.delay, self.loses, self.script) = (delay, loses, script)
    }

    /// A controller that serves until ``close()``.
    static func open(
        in directory: RunDirectory, delay: Delay? = nil, loses: Loss? = nil, script: @escaping Script
    ) async throws -> ScriptedController {
        let context = try Context()
        let loop = try Loop.start(name: "controller", context: context, precision: .exact)
        let controller = ScriptedController(
            on: loop, context: context, at: try directory.endpoint(.clients), delay: delay, loses: loses,
            script: script)
        try await controller.bind()
        return controller
    }

    nonisolated func close() async {
        await loop.shutdown()
        context.terminate()
    }

    private func bind() throws {
        let socket = try Socket(.router, context: context, options: .defaults(for: .router))
        try socket.bind(endpoint)
        loop.register(socket) { self.assumeIsolated { $0.drain() } }
        self.socket = socket
    }

    private func drain() {
        var frames = Frames()
        do {
            while try socket?.receive(into: &frames) == true {
                guard let peer = frames.routingID(at: 0) else { continue }
                let frame = ReceivedFrame(frames[2])
                var requests = 0
                frame.forEach { place throws(WireError) in
                    requests += 1
                    answer(try ClientRequest(wireBytes: frame.bytes, in: place), of: peer)
                } refuse: {
                    preconditionFailure("the scripted controller cannot decode a request: \($0)")
                }
                largestFrame = max(largestFrame, requests)
            }
        } catch {
            preconditionFailure("the controller's socket fails on its own thread: \(error)")
        }
    }

    private func loseConnections() {
        do {
            socket?.close()
            try bind()
        } catch {
            preconditionFailure("the controller cannot be bound again: \(error)")
        }
    }

    private func answer(_ request: ClientRequest, of peer: RoutingID) {
        if loses?(request.body) == true { return loseConnections() }
        guard let body = script(request.body) else { return }
        let reply = ClientReply(correlation: request.correlation, body: body)
        guard let delay = delay?(request.body), delay > .zero else { return send(reply, to: peer) }
        loop.schedule(after: delay) { self.assumeIsolated { $0.send(reply, to: peer) } }
    }

    private func send(_ reply: ClientReply, to peer: RoutingID) {
        do {
            _ = try socket?.send(to: peer, delimited: reply.wireBytes)
        } catch {
            preconditionFailure("the controller's socket fails on its own thread: \(error)")
        }
    }
}
