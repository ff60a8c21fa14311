public import FleetProtocol
import FleetTime

/// The attempt to deliver one command, from its first transmission to its end.
///
/// All copies have the same request ID, so the command is executed once. A command that was sent is reported
/// as refused or failed only if the controller says so of every copy.
struct CommandAttempt: Sendable {
    /// How much longer than the command's timeout the client waits for the final answer.
    static let grace: Duration = .milliseconds(250)
    static let cancelTimeout: Duration = .seconds(2)

    private let command: Command
    private let user: Email
    private let startedAt: MonotonicTime
    private let deadline: MonotonicTime
    var sending: Transmission
    /// The refusal of the copy that was refused last.
    private var refusal: Refusal?
    /// The transmission of the cancel; nil before a cancel.
    var cancelling: Transmission?
    private var cancelDeadline: MonotonicTime

    init(_ command: Command, of user: Email, at now: MonotonicTime) {
        (self.command, self.user) = (command, user)
        startedAt = now
        deadline = now.advanced(by: command.timeout ?? Limits.defaultTimeout)
        cancelDeadline = deadline
        sending = Transmission(.onSilence, at: now)
    }

    /// The time of the next call of ``due(at:)``.
    var nextDue: MonotonicTime {
        guard let cancelling else { return min(end, sending.nextSend ?? end) }
        return min(end, cancelling.nextSend ?? end)
    }

    private var end: MonotonicTime {
        (cancelling == nil ? deadline : cancelDeadline).advanced(by: Self.grace)
    }

    mutating func due(at now: MonotonicTime) -> Due {
        guard now < end else { return ended(at: now) }
        if cancelling?.consumeDue(at: now) == true {
            let remaining = now.duration(to: cancelDeadline)
            guard remaining.wholeMilliseconds > 0 else { return .nothing }
            return .sendCancel(.cancel(command.requestID, timeout: remaining))
        }
        guard cancelling == nil, sending.consumeDue(at: now) else { return .nothing }
        let remaining = now.duration(to: deadline)
        guard remaining.wholeMilliseconds > 0 else { return .nothing }
        return .send(.command(command.dispatched(with: remaining)))
    }

    /// Handles the cancellation of the waiting task: no copy is sent any more, and a sent one is cancelled.
    mutating func cancel(at now: MonotonicTime) -> Due {
        guard sending.mayBeOnItsWay else { return .end(.success(.command(.cancel(.cancelled)))) }
        guard cancelling == nil else { return .nothing }
        cancelling = Transmission(.onSilence, at: now)
        cancelDeadline = now.advanced(by: Self.cancelTimeout)
        return .nothing
    }

    /// Handles the controller's answer to a copy of the command.
    mutating func answered(
        _ body: ClientReply.Body, at now: MonotonicTime, using generator: inout SeededGenerator
    ) -> Due {
        switch body {
        case .outcome(let report) where report.requestID == command.requestID:
            guard cancelling != nil else { return .end(.success(.command(.outcome(report)))) }
            // A final outcome also settles the cancel; anything else is settled by the answer to the cancel.
            guard report.outcome.isFinal else { return .nothing }
            let answer: CancelReply = report.outcome == .cancelled ? .cancelled : .tooLate(report)
            return .end(.success(.command(.cancel(answer))))
        case .refusal(let refusal):
            guard cancelling == nil else { return .nothing }
            return refused(refusal, at: now, using: &generator)
        default: return .end(.failure(.unexpectedReply))
        }
    }

    /// Handles the controller's answer to the cancel.
    mutating func cancelReplied(
        _ body: ClientReply.Body, at now: MonotonicTime, using generator: inout SeededGenerator
    ) -> Due {
        switch body {
        case .cancel(command.requestID, let answer): return .end(.success(.command(.cancel(answer))))
        case .refusal(.busy(let pause)), .refusal(.storageFull(let pause)):
            cancelling?.postpone(by: pause, at: now, using: &generator)
            return .nothing
        case .refusal: return unknown(at: now)
        default: return .end(.failure(.unexpectedReply))
        }
    }

    /// Handles the refusal of a copy.
    ///
    /// After `busy` the command is sent again when the controller asked for; any other refusal is final if no
    /// copy can still arrive.
    private mutating func refused(
        _ refusal: Refusal, at now: MonotonicTime, using generator: inout SeededGenerator
    ) -> Due {
        self.refusal = refusal
        sending.refused()
        if let pause = refusal.retryAfter {
            sending.postpone(by: pause, at: now, using: &generator)
            if sending.willResend(before: deadline) { return .nothing }
        } else {
            sending.received(at: now, using: &generator)
        }
        return sending.mayBeOnItsWay ? .nothing : .end(.failure(.refused(refusal)))
    }

    /// Ends the wait at the timeout.
    private func ended(at now: MonotonicTime) -> Due {
        if sending.mayBeOnItsWay { return unknown(at: now) }
        return refusal.map { .end(.failure(.refused($0))) } ?? .endUnsent
    }

    /// The end of a command that was sent without a final answer.
    private func unknown(at now: MonotonicTime) -> Due {
        let report = OutcomeReport(
            requestID: command.requestID, device: command.device, outcome: .unknown, user: user,
            command: command.kind.kind,
            timing: OutcomeReport.Timing(totalUs: startedAt.duration(to: now).wholeMicroseconds))
        return .end(.success(.command(.outcome(report))))
    }
}

extension Command {
    /// Returns the same command with the remaining time.
    fileprivate func dispatched(with remaining: Duration) -> Command {
        Command(requestID: requestID, device: device, kind: kind, expected: expected, timeout: remaining)
    }
}

/// How the wait for a command ended.
public enum CommandCompletion: Hashable, Sendable {
    /// The command's outcome; `unknown` if it was sent and no final answer came in time.
    case outcome(OutcomeReport)
    /// The waiting task was cancelled, and the client cancelled the command with this answer.
    case cancel(CancelReply)
}

/// The schedule of one message: when it is sent, and sent again.
struct Transmission: Sendable {
    /// The time without a reply on a live connection after which the message is sent again.
    static let silence: Duration = .seconds(1)
    /// The pause after which a message that the socket did not accept is offered again.
    static let pause: Duration = .milliseconds(10)
    /// The upper bound of the first backoff; it doubles with each attempt.
    static let jitterBase: Duration = .milliseconds(50)
    /// The maximum of that bound.
    static let jitterCap: Duration = .milliseconds(500)

    private let retry: RetryPolicy
    /// The number of copies that were sent.
    private(set) var copies = 0
    /// The number of copies that were refused: each gets one reply at most.
    private var refusedCopies = 0
    /// The number of copies since the last message from the controller.
    private var triesInSilence = 0
    /// The time at which the next copy is due; nil while that depends on another event.
    private(set) var nextSend: MonotonicTime?
    /// The earliest next copy that a busy controller allowed.
    private var notBefore: MonotonicTime

    /// A message that is due now.
    init(_ retry: RetryPolicy, at now: MonotonicTime) {
        self.retry = retry
        nextSend = now
        notBefore = now
    }

    /// Whether a copy may have been or may still be executed: not every sent copy was refused.
    var mayBeOnItsWay: Bool { copies > refusedCopies }

    /// Returns whether the message must be offered to the socket now; then ``sent(at:using:)`` or
    /// ``blocked(at:isConnected:)`` must follow.
    mutating func consumeDue(at now: MonotonicTime) -> Bool {
        guard let due = nextSend, due <= now else { return false }
        nextSend = nil
        return true
    }

    /// Records that the socket accepted it.
    mutating func sent(at now: MonotonicTime, using generator: inout SeededGenerator) {
        copies += 1
        guard case .onSilence = retry else { return }
        nextSend = now.advanced(by: Self.silence + jitter(using: &generator))
    }

    /// Records that the socket did not accept it: it has no connection, or its queue is full.
    mutating func blocked(at now: MonotonicTime, isConnected: Bool) {
        nextSend = isConnected ? now.advanced(by: Self.pause) : nil
    }

    /// Handles a new connection, which also counts as a message from the controller.
    mutating func connected(at now: MonotonicTime, using generator: inout SeededGenerator) {
        triesInSilence = 0
        if copies == 0 {
            nextSend = now
        } else if retry != .never || !mayBeOnItsWay {
            nextSend = max(now, notBefore).advanced(by: jitter(using: &generator))
        }
    }

    /// Records that a copy was refused: it was not and will not be executed.
    mutating func refused() { refusedCopies += 1 }

    /// Records that a copy was refused because another controller has the account, which gets the next copy.
    mutating func redirected(at now: MonotonicTime) {
        refused()
        triesInSilence = 0
        nextSend = now
    }

    /// Postpones the next copy, because the controller is busy: it is sent again after that time at the
    /// earliest.
    mutating func postpone(by pause: Duration, at now: MonotonicTime, using generator: inout SeededGenerator)
    {
        triesInSilence = 0
        notBefore = now.advanced(by: pause)
        nextSend = notBefore.advanced(by: jitter(using: &generator))
    }

    /// Returns whether it is sent again before a deadline without further messages from the controller.
    func willResend(before deadline: MonotonicTime) -> Bool {
        nextSend.map { $0 < deadline } ?? false
    }

    /// Records a message from the controller that does not end the request.
    mutating func received(at now: MonotonicTime, using generator: inout SeededGenerator) {
        triesInSilence = 0
        guard case .onSilence = retry else { return }
        nextSend = max(notBefore, now.advanced(by: Self.silence + jitter(using: &generator)))
    }

    /// Draws a backoff from a span that doubles with each attempt, so that many clients do not return in a
    /// burst.
    private mutating func jitter(using generator: inout SeededGenerator) -> Duration {
        let span = min(Self.jitterCap, Self.jitterBase * (1 << min(triesInSilence, 10)))
        triesInSilence += 1
        return .nanoseconds(Int64.random(in: 0...span.wholeNanoseconds, using: &generator))
    }
}
