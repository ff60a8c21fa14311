public import FleetProtocol

/// The attempt to deliver one command, from its first transmission to its end. All copies have the same
/// request ID, so the command is executed once. A command that was sent is reported as refused or failed only
/// if the controller says so of every copy.
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
    var cancelling: Transmission?
    private var cancelDeadline: MonotonicTime

    init(_ command: Command, of user: Email, at now: MonotonicTime) {
        (self.command, self.user) = (command, user)
        startedAt = now
        deadline = now.advanced(by: command.timeout ?? Limits.defaultTimeout)
        cancelDeadline = deadline
        sending = Transmission(.onSilence, at: now)
    }

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

    /// Handles the refusal of a copy. After `busy` the command is sent again when the controller asked for;
    /// any other refusal is final if no copy can still arrive.
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
