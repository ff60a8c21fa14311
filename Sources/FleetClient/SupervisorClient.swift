public import Bus
import DequeModule
public import FleetProtocol

/// A client of the supervisor of a local fleet, with one connection and one request at a time.
///
/// Further requests are queued, up to ``waitingAtMost``. The first request opens the connection. A request
/// without a reply closes it, so that a late reply is never taken for the next one's. All state belongs to
/// the loop's thread.
public actor SupervisorClient {
    /// The maximum number of pending requests, including the one that was sent.
    public static let waitingAtMost = 64

    private struct Question {
        let number: UInt64
        let request: SupervisorRequest
        let timer: TimerID
        let waiter: CheckedContinuation<Result<SupervisorReply?, BusError>, Never>
    }

    private let endpoint: Endpoint
    private let loop: Loop
    private var socket: Socket?
    /// The pending requests in order of arrival; the first was sent.
    private var questions: Deque<Question> = []
    private var lastNumber: UInt64 = 0

    /// A client that has not connected yet.
    ///
    /// - Parameters:
    ///   - endpoint: The supervisor's socket, which need not exist yet.
    ///   - loop: The thread of the client, from `Loop.start`.
    public init(at endpoint: Endpoint, on loop: Loop) { (self.endpoint, self.loop) = (endpoint, loop) }

    /// The loop, whose thread runs all code isolated to the client.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Sends one request with its own thread and context, for programs that need no more.
    ///
    /// - Parameter endpoint: The supervisor's socket, which need not exist yet.
    /// - Returns: The reply; nil if none arrived in time, or the task was cancelled.
    /// - Throws: `BusError` if no socket can be created.
    public static func ask(
        _ request: SupervisorRequest, at endpoint: Endpoint, timeout: Duration
    ) async throws -> SupervisorReply? {
        try await Loop.withThread(name: "supervisor") { loop in
            try await SupervisorClient(at: endpoint, on: loop).ask(request, timeout: timeout)
        }
    }

    /// Sends a request.
    ///
    /// - Parameter timeout: The timeout, which includes the wait for earlier requests.
    /// - Returns: The reply; nil if none arrived in time, if ``waitingAtMost`` requests are pending, or if
    ///   the task was cancelled.
    /// - Throws: `BusError` if no socket can be created.
    public func ask(
        _ request: SupervisorRequest, timeout: Duration
    ) async throws(BusError) -> SupervisorReply? {
        lastNumber += 1
        let number = lastNumber
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                add(number, request, timeout: timeout, waiter)
            }
        } onCancel: {
            Task { await self.giveUp(number) }
        }
        return try result.get()
    }

    private func add(
        _ number: UInt64, _ request: SupervisorRequest, timeout: Duration,
        _ waiter: CheckedContinuation<Result<SupervisorReply?, BusError>, Never>
    ) {
        guard questions.count < Self.waitingAtMost, !Task.isCancelled else {
            return waiter.resume(returning: .success(nil))
        }
        let timer = loop.schedule(after: timeout) { self.assumeIsolated { $0.giveUp(number) } }
        questions.append(Question(number: number, request: request, timer: timer, waiter: waiter))
        if questions.count == 1 { sendFirst() }
    }

    private func sendFirst() {
        while let first = questions.first {
            do throws(BusError) {
                // A request that a new socket does not accept gets no reply, and ends with its timeout.
                _ = try connected().send(delimited: first.request.wireBytes)
                return
            } catch {
                disconnect()
                finishFirst(.failure(error))
            }
        }
    }

    /// Returns the connection; a new one queues the request until the supervisor listens.
    private func connected() throws(BusError) -> Socket {
        if let socket { return socket }
        var options = SocketOptions.defaults(for: .dealer)
        options.immediate = false
        let socket = try Socket(.dealer, context: loop.context, options: options)
        loop.register(socket) { self.assumeIsolated { $0.drain() } }
        self.socket = socket
        try socket.connect(endpoint)
        return socket
    }

    private func disconnect() {
        socket?.close()
        socket = nil
    }

    private func drain() {
        var frames = Frames()
        do {
            while try socket?.receive(into: &frames) == true {
                guard frames.count == 2, frames.byteCount(at: 0) == 0 else { continue }
                answered(try SupervisorReply(wireBytes: frames[1]))
            }
        } catch let error as WireError {
            answered(SupervisorReply(failure: "the supervisor's answer cannot be read: \(error)"))
        } catch {
            preconditionFailure("the supervisor's socket fails on its own thread: \(error)")
        }
    }

    private func answered(_ reply: SupervisorReply) {
        finishFirst(.success(reply))
        sendFirst()
    }

    /// Ends a pending request without a reply; if it was sent, the connection is closed.
    private func giveUp(_ number: UInt64) {
        guard let place = questions.firstIndex(where: { $0.number == number }) else { return }
        guard place == questions.startIndex else { return finish(questions.remove(at: place), .success(nil)) }
        disconnect()
        finishFirst(.success(nil))
        sendFirst()
    }

    private func finishFirst(_ result: Result<SupervisorReply?, BusError>) {
        guard let first = questions.popFirst() else { return }
        finish(first, result)
    }

    private func finish(_ question: Question, _ result: Result<SupervisorReply?, BusError>) {
        loop.cancel(question.timer)
        question.waiter.resume(returning: result)
    }
}
