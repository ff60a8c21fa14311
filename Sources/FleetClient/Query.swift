import FleetProtocol
import FleetTime

/// A request that one reply answers, whatever it says.
struct Query: Sendable {
    private let body: ClientRequest.Body
    private let startedAt: MonotonicTime
    /// How long the controller has.
    private let deadline: MonotonicTime
    /// When the wait ends.
    let end: MonotonicTime
    var sending: Transmission
    /// What a busy controller said last.
    private var refusal: Refusal?

    init(_ body: ClientRequest.Body, retry: RetryPolicy, patience: Duration, at now: MonotonicTime) {
        self.body = body
        startedAt = now
        deadline = now.advanced(by: patience)
        end = if case .cancel = body { deadline.advanced(by: CommandAttempt.grace) } else { deadline }
        sending = Transmission(retry, at: now)
    }

    /// When it has to be looked at again.
    var nextDue: MonotonicTime { min(end, sending.nextSend ?? end) }

    /// What is to be done now.
    mutating func due(at now: MonotonicTime) -> Due {
        guard now < end else {
            guard sending.copies > 0 else { return .endUnsent }
            if !sending.mayBeOnItsWay, let refusal { return .end(.failure(.refused(refusal))) }
            return .end(.failure(.noAnswer(waited: startedAt.duration(to: now))))
        }
        guard sending.takeDue(at: now) else { return .nothing }
        guard case .cancel(let requestID, _) = body else { return .send(body) }
        let remaining = now.duration(to: deadline)
        return remaining.wholeMilliseconds > 0 ? .send(.cancel(requestID, patience: remaining)) : .nothing
    }

    /// The controller answered.
    ///
    /// One that is busy has done nothing: it is asked again when it has asked for that, if there is time.
    mutating func answered(
        _ reply: ClientReply.Body, at now: MonotonicTime, using generator: inout SeededGenerator
    ) -> Due {
        guard case .refusal(let refusal) = reply else { return .end(.success(.reply(reply))) }
        self.refusal = refusal
        sending.refused()
        if let pause = refusal.retryAfter {
            sending.postpone(by: pause, at: now, using: &generator)
            if sending.leavesAgain(before: deadline) { return .nothing }
        }
        return .end(.failure(.refused(refusal)))
    }
}

/// What a request that waits wants to have done.
enum Due: Equatable, Sendable {
    /// Nothing, for now.
    case nothing
    /// Its message is to be offered to the socket.
    case send(ClientRequest.Body)
    /// The cancel of its command is.
    case sendCancel(ClientRequest.Body)
    /// The wait is over.
    case end(Result<Ending, FleetError>)
    /// The wait is over, and nothing has ever left.
    case endUnsent
}

/// What a wait gave.
enum Ending: Equatable, Sendable {
    /// The reply to a query, refusals aside.
    case reply(ClientReply.Body)
    /// The end of a command.
    case command(CommandEnd)
}
