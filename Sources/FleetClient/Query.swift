import FleetProtocol

/// A request that ends with its first reply, except for `busy`.
struct Query: Sendable {
    private let body: ClientRequest.Body
    private let startedAt: MonotonicTime
    private let deadline: MonotonicTime
    let end: MonotonicTime
    var sending: Transmission
    /// The last refusal of a busy controller.
    private var refusal: Refusal?

    init(_ body: ClientRequest.Body, retry: RetryPolicy, timeout: Duration, at now: MonotonicTime) {
        self.body = body
        startedAt = now
        deadline = now.advanced(by: timeout)
        end = if case .cancel = body { deadline.advanced(by: CommandAttempt.grace) } else { deadline }
        sending = Transmission(retry, at: now)
    }

    var nextDue: MonotonicTime { min(end, sending.nextSend ?? end) }

    mutating func due(at now: MonotonicTime) -> Due {
        guard now < end else {
            guard sending.copies > 0 else { return .endUnsent }
            if !sending.mayBeOnItsWay, let refusal { return .end(.failure(.refused(refusal))) }
            return .end(.failure(.noReply(waited: startedAt.duration(to: now))))
        }
        guard sending.consumeDue(at: now) else { return .nothing }
        guard case .cancel(let requestID, _) = body else { return .send(body) }
        let remaining = now.duration(to: deadline)
        return remaining.wholeMilliseconds > 0 ? .send(.cancel(requestID, timeout: remaining)) : .nothing
    }

    /// Handles a reply of the controller. A busy controller has done nothing: the request is sent again when
    /// the controller asked for, if there is time.
    mutating func answered(
        _ reply: ClientReply.Body, at now: MonotonicTime, using generator: inout SeededGenerator
    ) -> Due {
        guard case .refusal(let refusal) = reply else { return .end(.success(.reply(reply))) }
        self.refusal = refusal
        sending.refused()
        if let pause = refusal.retryAfter {
            sending.postpone(by: pause, at: now, using: &generator)
            if sending.willResend(before: deadline) { return .nothing }
        }
        return .end(.failure(.refused(refusal)))
    }
}

/// The action that is due for a pending request.
enum Due: Equatable, Sendable {
    case nothing
    case send(ClientRequest.Body)
    /// Offer the cancel of its command to the socket.
    case sendCancel(ClientRequest.Body)
    case end(Result<Completion, FleetError>)
    /// The wait has ended, and no message was ever sent.
    case endUnsent
}

enum Completion: Equatable, Sendable {
    /// The reply to a query, except for refusals.
    case reply(ClientReply.Body)
    case command(CommandCompletion)
}

/// The correlation of a message: its request, and whether it is the request itself or its cancel.
struct Correlation: Hashable, Sendable {
    /// The number of the request, from 1.
    let number: UInt64
    let isCancel: Bool

    init(_ number: UInt64, isCancel: Bool = false) { (self.number, self.isCancel) = (number, isCancel) }

    init(wireValue: UInt64) {
        number = wireValue >> 1
        isCancel = wireValue & 1 == 1
    }

    /// The number on the wire; never 0, which stands for an unreadable request.
    var wireValue: UInt64 { number << 1 | (isCancel ? 1 : 0) }
}
