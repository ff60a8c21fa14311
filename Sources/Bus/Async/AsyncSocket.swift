/// A socket of a loop for any task to await: the messages that arrive, and room for those it sends.
///
/// It keeps no messages of its own. The socket is read only when somebody asks, so a slow reader fills the
/// socket's queue up to ``SocketOptions/receiveHighWaterMark``, then its peers' queues, and then holds them
/// back. Those who wait are served in the order they came; how many wait is for their owners to bound.
///
/// A wait that is cancelled takes no message and sends none: the next caller gets it, and the socket is as it
/// was. A message that has been taken is returned, even to a task that was cancelled meanwhile.
///
/// It ends when it is closed, when nobody has it any more, and with its loop.
public actor AsyncSocket {
    /// Messages handled without a wait before the loop gets its turn, which a task of its own thread would
    /// never give it otherwise.
    private static let streakLimit = 64

    /// The kind the socket was made as.
    public nonisolated let kind: SocketKind

    private let loop: Loop

    /// Nil once closed.
    private var lease: SocketLease?
    private var frames = Frames()
    private let readers = WaitingLine<Void, [[UInt8]]>()
    private let senders = WaitingLine<[[UInt8]], SendResult>()

    /// Messages handled since the loop had its turn.
    private var streak = 0

    /// The loop, on whose thread the socket is used.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Makes a socket on a loop's thread.
    ///
    /// - Parameters:
    ///   - kind: What the socket does.
    ///   - loop: The loop whose thread it lives on, started or driven by ``Loop/run()``.
    ///   - options: How it queues and reconnects; ``SocketOptions/defaults(for:)`` when nil.
    ///   - prepare: Binds, connects, subscribes, or monitors the socket, on the loop's thread.
    /// - Throws: As ``Socket/init(_:context:options:)`` does, `socketClosed` when the loop has ended, and
    ///   what the preparation throws.
    public init(
        _ kind: SocketKind, on loop: Loop, options: SocketOptions? = nil,
        _ prepare: @Sendable (Socket) throws -> Void
    ) async throws {
        self.kind = kind
        self.loop = loop
        guard !loop.hasEnded else { throw Self.closed(kind) }
        let socket = try Socket(kind, context: loop.context, options: options)
        try prepare(socket)
        lease = SocketLease(socket, of: loop)
        // The loop keeps the hook for as long as it polls the socket, and does not keep this actor.
        let end = ReleaseHook { [weak self] in self?.assumeIsolated { $0.close() } }
        loop.register(socket, awaiting: []) { [weak self] in
            withExtendedLifetime(end) { self?.assumeIsolated { $0.serve() } }
        }
    }

    /// The socket; nil once closed.
    private var socket: Socket? { lease?.socket }

    /// The tasks that wait for a message.
    var waitingReaders: Int { readers.count }

    /// The tasks that wait for room.
    var waitingSenders: Int { senders.count }

    /// The messages as a sequence; several readers share them between them.
    public nonisolated var messages: AsyncMessages { AsyncMessages(self) }

    /// The next message, frame by frame.
    ///
    /// - Parameter limit: How long to wait for it; nil for as long as the socket is open.
    /// - Returns: The frames; nil when none came in time.
    /// - Throws: `CancellationError`, `socketClosed`, `notSupported` for a kind that never receives, and
    ///   `wrongState` for a REQ without a request.
    public func receive(within limit: Duration? = nil) async throws -> [[UInt8]]? {
        try await beginTurn()
        if readers.isEmpty, let message = try take() { return message }
        return try await wait(in: readers, for: .readable, with: (), within: limit)
    }

    /// Sends a message, and waits for room if there is none.
    ///
    /// A ROUTER does not wait, because one peer that reads nothing would hold up the others: it says
    /// `wouldBlock`. PUB and XPUB drop for a peer that is full, as ever.
    ///
    /// - Parameters:
    ///   - frames: The frames of the message, at least one.
    ///   - limit: How long to wait for room; nil for as long as the socket is open.
    /// - Returns: What became of it; `wouldBlock` when there was no room in time, and nothing was sent.
    /// - Throws: `CancellationError` when nothing was sent, `socketClosed`, `notSupported` for a kind that
    ///   never sends, and `wrongState` for a REQ that awaits its reply.
    public func send(_ frames: [[UInt8]], within limit: Duration? = nil) async throws -> SendResult {
        try await beginTurn()
        if senders.isEmpty, let result = try offer(frames) { return result }
        if kind == .router { return .wouldBlock }
        return try await wait(in: senders, for: .writable, with: frames, within: limit) ?? .wouldBlock
    }

    /// Does something with the socket on its thread, such as a subscription or a look at its counters.
    ///
    /// - Throws: `socketClosed`, and what is thrown within.
    public func withSocket<Value: Sendable>(_ body: @Sendable (Socket) throws -> Value) throws -> Value {
        guard let socket, !socket.isClosed else { throw Self.closed(kind) }
        return try body(socket)
    }

    /// Closes the socket with what it has queued, and ends every wait with `socketClosed`; more than once.
    public func close() {
        socket?.close()
        lease = nil
        readers.end(throwing: Self.closed(kind))
        senders.end(throwing: Self.closed(kind))
    }

    /// Waits in a line for what its waiters are to be polled for, until served, cancelled, or the limit is
    /// over.
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
                // A closure that does not name its actor would run, and enter the line, on any thread.
                preconditionIsolated()
                line.enter(place, with: request, continuation)
            }
        } onCancel: {
            // On any thread, and before the place is taken if the task is cancelled already: the loop's own
            // thread comes to it later in any case.
            loop.perform { [weak self] in self?.assumeIsolated { $0.cancel(place, in: readiness) } }
        }
    }

    /// Ends a wait in the line of those who are polled for the same; it may have ended already.
    private func cancel(_ place: UInt64, in readiness: Readiness) {
        switch readiness {
        case .readable: readers.leave(place, with: .failure(CancellationError()))
        case .writable: senders.leave(place, with: .failure(CancellationError()))
        default: preconditionFailure("nobody waits for \(readiness)")
        }
    }

    /// Serves those who wait with what the socket has for them.
    private func serve() {
        senders.serve { try offer($0) }
        readers.serve { try take() }
        poll()
    }

    /// Has the loop call when the socket has what somebody waits for, or is about to.
    private func poll(for readiness: Readiness = []) {
        guard let socket else { return }
        var awaited = readiness
        if !readers.isEmpty { awaited.insert(.readable) }
        if !senders.isEmpty { awaited.insert(.writable) }
        loop.setAwaited(awaited, of: socket)
    }

    /// The next message, if it is here.
    private func take() throws(BusError) -> [[UInt8]]? {
        guard let socket else { throw Self.closed(kind) }
        return try socket.receive(into: &frames) ? frames.arrays : nil
    }

    /// What became of a message; nil when there is no room for it.
    private func offer(_ frames: [[UInt8]]) throws(BusError) -> SendResult? {
        guard let socket else { throw Self.closed(kind) }
        let result = try socket.send(frames)
        return result == .wouldBlock ? nil : result
    }

    /// Ends for a cancelled task, and lets the loop have its turn now and then.
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
/// Nothing is read ahead: what a reader has not asked for is the next one's. The sequence ends when the
/// socket is closed or its loop ends.
public struct AsyncMessages: AsyncSequence, Sendable {
    /// The frames of one message.
    public typealias Element = [[UInt8]]

    private let socket: AsyncSocket

    init(_ socket: AsyncSocket) {
        self.socket = socket
    }

    /// A reader's place, which is nothing but the socket.
    public func makeAsyncIterator() -> Iterator {
        Iterator(socket: socket)
    }

    /// Asks for one message after another.
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

/// Tasks that wait at a socket, first come, first served; each leaves once.
///
/// It belongs to the thread of a loop, and so to the actor that has it.
final class WaitingLine<Request, Value: Sendable> {
    private struct Waiter {
        let request: Request
        let continuation: CheckedContinuation<Value?, any Error>
    }

    private var waiters: [UInt64: Waiter] = [:]

    /// Nobody with a lower number waits.
    private var firstNumber: UInt64 = 1
    private var lastNumber: UInt64 = 0

    /// The tasks that wait.
    var count: Int { waiters.count }

    /// Whether nobody waits.
    var isEmpty: Bool { waiters.isEmpty }

    /// A place at the end, to wait at and to leave from.
    func makePlace() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Takes the place of a task that waits until served, or until it leaves.
    ///
    /// - Parameter continuation: Resumed with what the task was served with, or nil when it waited long
    ///   enough.
    func enter(_ place: UInt64, with request: Request, _ continuation: CheckedContinuation<Value?, any Error>)
    {
        waiters[place] = Waiter(request: request, continuation: continuation)
    }

    /// Serves in order for as long as the attempt gives a value; one that throws is that waiter's alone.
    func serve(_ attempt: (Request) throws -> Value?) {
        while let (place, request) = first() {
            let result = Result { try attempt(request) }
            if case .success(nil) = result { return }
            leave(place, with: result)
        }
    }

    /// Takes a waiter out, if it is still there.
    func leave(_ place: UInt64, with result: Result<Value?, any Error>) {
        waiters.removeValue(forKey: place)?.continuation.resume(with: result)
    }

    /// Takes everybody out.
    func end(throwing error: BusError) {
        while let (place, _) = first() { leave(place, with: .failure(error)) }
    }

    private func first() -> (place: UInt64, request: Request)? {
        guard !waiters.isEmpty else { return nil }
        while waiters[firstNumber] == nil { firstNumber += 1 }
        return waiters[firstNumber].map { (firstNumber, $0.request) }
    }
}
