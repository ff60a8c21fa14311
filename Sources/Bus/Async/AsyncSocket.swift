/// A socket of a loop with `async` methods: any task can await messages, and room to send.
///
/// It buffers no messages. It reads the socket only for a waiting reader, so a slow reader fills the socket's
/// queue up to ``SocketOptions/receiveHighWaterMark``, then its peers' queues, and then blocks the peers.
/// Waiting tasks are served first come, first served; their number is not bounded here.
///
/// A cancelled wait takes no message and sends none, and leaves the socket unchanged. A message that was
/// received is returned, even to a task that was cancelled in between.
///
/// The socket is closed by ``close()``, by the last release, and by the end of its loop.
///
/// ```swift
/// let work = try await AsyncSocket(.pull, on: loop, options: options) { try $0.bind(endpoint) }
/// ```
public actor AsyncSocket {
    /// The most messages handled without a wait before a task yields: otherwise a task on the loop's thread
    /// would never let the loop run.
    private static let streakLimit = 64

    /// The kind of the socket.
    public nonisolated let kind: SocketKind

    private let loop: Loop

    /// Nil once closed.
    private var lease: SocketLease?
    private var frames = Frames()
    private let readers = WaitingLine<Void, [[UInt8]]>()
    private let senders = WaitingLine<[[UInt8]], SendResult>()

    /// The number of calls since the last wait or yield.
    private var streak = 0

    /// The loop's executor: the actor runs on the loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Creates a socket on a loop's thread.
    ///
    /// - Parameters:
    ///   - loop: The loop whose thread owns the socket, started or driven by ``Loop/run()``.
    ///   - options: The options; ``SocketOptions/defaults(for:)`` when nil.
    ///   - prepare: Binds, connects, subscribes, or monitors the socket, on the loop's thread.
    /// - Throws: The errors of ``Socket/init(_:context:options:)``, `socketClosed` if the loop has ended, and
    ///   the errors of the preparation.
    public init(
        _ kind: SocketKind, on loop: Loop, options: SocketOptions? = nil,
        _ prepare: @Sendable (Socket) throws -> Void
    ) async throws {
        (self.kind, self.loop) = (kind, loop)
        guard !loop.hasEnded else { throw Self.closed(kind) }
        let socket = try Socket(kind, context: loop.context, options: options)
        try prepare(socket)
        lease = SocketLease(socket, of: loop)
        // The loop retains the hook while the socket is registered, but not this actor.
        let end = ReleaseHook { [weak self] in self?.assumeIsolated { $0.close() } }
        loop.register(socket, awaiting: []) { [weak self] in
            withExtendedLifetime(end) { self?.assumeIsolated { $0.serve() } }
        }
    }

    /// The socket; nil once closed.
    private var socket: Socket? { lease?.socket }
    var waitingReaders: Int { readers.count }
    var waitingSenders: Int { senders.count }

    /// The messages as a sequence; each message goes to one of its readers.
    public nonisolated var messages: AsyncMessages { AsyncMessages(self) }

    /// The next message, frame by frame.
    ///
    /// - Parameter limit: How long to wait for it; nil for as long as the socket is open.
    /// - Returns: The frames; nil when none came in time.
    /// - Throws: `CancellationError`, `socketClosed`, `notSupported` for a kind that never receives, and
    ///   `wrongState` for a REQ without a request.
    public func receive(within limit: Duration? = nil) async throws -> [[UInt8]]? {
        try await beginTurn()
        if readers.isEmpty, let message = try receiveNow() { return message }
        return try await wait(in: readers, for: .readable, with: (), within: limit)
    }

    /// Sends a message, and waits while the peer's queue is full.
    ///
    /// A ROUTER returns `wouldBlock` instead, because one peer that reads nothing would delay the others. PUB
    /// and XPUB drop messages for a peer whose queue is full.
    ///
    /// - Parameters:
    ///   - frames: The frames of the message, at least one.
    ///   - limit: How long to wait for room; nil for as long as the socket is open.
    /// - Returns: The result; `wouldBlock` when the limit passed and nothing was sent.
    /// - Throws: `CancellationError` when nothing was sent, `socketClosed`, `notSupported` for a kind that
    ///   never sends, and `wrongState` for a REQ that awaits its reply.
    public func send(_ frames: [[UInt8]], within limit: Duration? = nil) async throws -> SendResult {
        try await beginTurn()
        if senders.isEmpty, let result = try offer(frames) { return result }
        if kind == .router { return .wouldBlock }
        return try await wait(in: senders, for: .writable, with: frames, within: limit) ?? .wouldBlock
    }

    /// Calls a closure with the socket on its thread, for example to subscribe or to read its counters.
    ///
    /// - Throws: `socketClosed`, and the closure's errors.
    public func withSocket<Value: Sendable>(_ body: @Sendable (Socket) throws -> Value) throws -> Value {
        guard let socket, !socket.isClosed else { throw Self.closed(kind) }
        return try body(socket)
    }

    /// Closes the socket, and ends every wait with `socketClosed`; callable more than once.
    public func close() {
        socket?.close()
        lease = nil
        readers.end(throwing: Self.closed(kind))
        senders.end(throwing: Self.closed(kind))
    }

    /// Waits in a line, with the socket polled for a readiness, until served or cancelled, or until the limit
    /// has passed.
    private func wait<Request, Value>(
        in line: WaitingLine<Request, Value>, for readiness: Readiness, with request: Request,
        within limit: Duration?
    ) async throws -> Value? {
        streak = 0
        let place = line.makePlace()
        poll(for: readiness)
        let deadline = limit.map { loop.schedule(after: $0) { line.leave(place, with: .success(nil)) } }
        defer {
            if let deadline { loop.cancel(deadline) }
            poll()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Without this use of the actor the closure could run, and enter the line, on any thread.
                preconditionIsolated()
                line.enter(place, with: request, continuation)
            }
        } onCancel: {
            // Runs on any thread, and before `enter` if the task is cancelled already. `perform` delays the
            // cancellation until after `enter`, which runs on the loop's thread.
            loop.perform { [weak self] in self?.assumeIsolated { $0.cancel(place, in: readiness) } }
        }
    }

    /// Ends a wait in the line for a readiness with `CancellationError`, unless it has ended already.
    private func cancel(_ place: UInt64, in readiness: Readiness) {
        switch readiness {
        case .readable: readers.leave(place, with: .failure(CancellationError()))
        case .writable: senders.leave(place, with: .failure(CancellationError()))
        default: preconditionFailure("no task waits for \(readiness)")
        }
    }

    /// Sends for waiting senders, and receives for waiting readers, while the socket is ready.
    private func serve() {
        senders.serve { try offer($0) }
        readers.serve { try receiveNow() }
        poll()
    }

    /// Polls the socket for the readiness that tasks await, and for that of a task about to wait.
    private func poll(for readiness: Readiness = []) {
        guard let socket else { return }
        var awaited = readiness
        if !readers.isEmpty { awaited.insert(.readable) }
        if !senders.isEmpty { awaited.insert(.writable) }
        loop.setAwaited(awaited, of: socket)
    }

    private func receiveNow() throws(BusError) -> [[UInt8]]? {
        guard let socket else { throw Self.closed(kind) }
        return try socket.receive(into: &frames) ? frames.arrays : nil
    }

    private func offer(_ frames: [[UInt8]]) throws(BusError) -> SendResult? {
        guard let socket else { throw Self.closed(kind) }
        let result = try socket.send(frames)
        return result == .wouldBlock ? nil : result
    }

    /// Throws for a cancelled task, and yields to the loop after each streak of calls.
    private func beginTurn() async throws {
        try Task.checkCancellation()
        streak += 1
        guard streak > Self.streakLimit else { return }
        streak = 0
        await Task.yield()
    }

    private static func closed(_ kind: SocketKind) -> BusError {
        BusError(.socketClosed, context: "use a \(kind) socket that was closed, or whose loop has ended")
    }
}

/// The messages of an ``AsyncSocket``, each as its frames.
///
/// The sequence reads nothing ahead, so an abandoned reader loses no message. It ends when the socket is
/// closed or its loop ends.
public struct AsyncMessages: AsyncSequence, Sendable {
    /// The frames of one message.
    public typealias Element = [[UInt8]]

    private let socket: AsyncSocket

    init(_ socket: AsyncSocket) { self.socket = socket }

    /// Returns an iterator that holds only the socket.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// Receives one message after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let socket: AsyncSocket

        /// The next message; nil when the socket is closed.
        ///
        /// - Throws: `CancellationError`, `notSupported` for a kind that never receives, and `wrongState`
        ///   for a REQ without a request.
        public func next() async throws -> [[UInt8]]? {
            do {
                return try await socket.receive()
            } catch let error as BusError where error.code == .socketClosed {
                return nil
            }
        }
    }
}

/// A first-come, first-served queue of the tasks that wait at a socket; each task leaves once. It is used on
/// a loop's thread only, by the actor that owns it.
final class WaitingLine<Request, Value: Sendable> {
    private struct Waiter {
        let request: Request
        let continuation: CheckedContinuation<Value?, any Error>
    }

    private var waiters: [UInt64: Waiter] = [:]

    /// A lower bound of the waiters' numbers.
    private var firstNumber: UInt64 = 1
    private var lastNumber: UInt64 = 0

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    /// Returns a new place at the end of the queue.
    func makePlace() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a waiting task at its place; it resumes with the value it was served, or with nil after its
    /// limit.
    func enter(_ place: UInt64, with request: Request, _ continuation: CheckedContinuation<Value?, any Error>)
    {
        waiters[place] = Waiter(request: request, continuation: continuation)
    }

    /// Serves tasks in order until the attempt returns nil; an error goes only to the task it was made for.
    func serve(_ attempt: (Request) throws -> Value?) {
        while let (place, request) = first() {
            let result = Result { try attempt(request) }
            if case .success(nil) = result { return }
            leave(place, with: result)
        }
    }

    /// Removes a waiting task and resumes it, if it still waits.
    func leave(_ place: UInt64, with result: Result<Value?, any Error>) {
        waiters.removeValue(forKey: place)?.continuation.resume(with: result)
    }

    /// Removes all waiting tasks and resumes them with an error.
    func end(throwing error: BusError) {
        while let (place, _) = first() { leave(place, with: .failure(error)) }
    }

    private func first() -> (place: UInt64, request: Request)? {
        guard !waiters.isEmpty else { return nil }
        while waiters[firstNumber] == nil { firstNumber += 1 }
        return waiters[firstNumber].map { (firstNumber, $0.request) }
    }
}
