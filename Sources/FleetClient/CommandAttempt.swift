public import FleetProtocol
import FleetTime

/// One command on its way, from the first try to its end.
///
/// What leaves twice carries the same id, so it is done once; and nothing that has left is ever called
/// refused or failed unless the controller says so of every copy.
struct CommandAttempt: Sendable {
    /// How much longer than the controller's time the client waits for its last word.
    static let grace: Duration = .milliseconds(250)
    /// How long a cancel is given.
    static let cancelPatience: Duration = .seconds(2)

    private let command: Command
    private let user: Email
    private let startedAt: MonotonicTime
    private let deadline: MonotonicTime
    var sending: Transmission
    /// What the controller said of the copy that was refused last.
    private var refusal: Refusal?
    /// The cancel's way; nil while nobody has cancelled.
    var cancelling: Transmission?
    private var cancelDeadline: MonotonicTime

    init(_ command: Command, of user: Email, at now: MonotonicTime) {
        self.command = command
        self.user = user
        startedAt = now
        deadline = now.advanced(by: command.patience ?? Limits.defaultPatience)
        cancelDeadline = deadline
        sending = Transmission(.onSilence, at: now)
    }

    /// When it has to be looked at again.
    var nextDue: MonotonicTime {
        guard let cancelling else { return min(end, sending.nextSend ?? end) }
        return min(end, cancelling.nextSend ?? end)
    }

    /// When the wait ends.
    private var end: MonotonicTime {
        (cancelling == nil ? deadline : cancelDeadline).advanced(by: Self.grace)
    }

    /// What is to be done now.
    mutating func due(at now: MonotonicTime) -> Due {
        guard now < end else { return ended(at: now) }
        if cancelling?.takeDue(at: now) == true {
            let remaining = now.duration(to: cancelDeadline)
            guard remaining.wholeMilliseconds > 0 else { return .nothing }
            return .sendCancel(.cancel(command.requestID, patience: remaining))
        }
        guard cancelling == nil, sending.takeDue(at: now) else { return .nothing }
        let remaining = now.duration(to: deadline)
        guard remaining.wholeMilliseconds > 0 else { return .nothing }
        return .send(.command(command.leaving(with: remaining)))
    }

    /// The task that waits was cancelled: the command never leaves again, and what has left is taken back.
    mutating func cancel(at now: MonotonicTime) -> Due {
        guard sending.mayBeOnItsWay else { return .end(.success(.command(.cancel(.cancelled)))) }
        guard cancelling == nil else { return .nothing }
        cancelling = Transmission(.onSilence, at: now)
        cancelDeadline = now.advanced(by: Self.cancelPatience)
        return .nothing
    }

    /// The controller answered the command, or a copy of it.
    mutating func answered(
        _ body: ClientReply.Body, at now: MonotonicTime, using generator: inout SeededGenerator
    ) -> Due {
        switch body {
        case .outcome(let report) where report.requestID == command.requestID:
            guard cancelling != nil else { return .end(.success(.command(.outcome(report)))) }
            // A final outcome says what the cancel's answer will be; anything else only the cancel can tell.
            guard report.outcome.isFinal else { return .nothing }
            let answer: CancelAnswer = report.outcome == .cancelled ? .cancelled : .tooLate(report)
            return .end(.success(.command(.cancel(answer))))
        case .refusal(let refusal):
            guard cancelling == nil else { return .nothing }
            return refused(refusal, at: now, using: &generator)
        default: return .end(.failure(.unexpectedReply))
        }
    }

    /// The controller answered the cancel.
    mutating func cancelAnswered(
        _ body: ClientReply.Body, at now: MonotonicTime, using generator: inout SeededGenerator
    ) -> Due {
        switch body {
        case .cancel(command.requestID, let answer):
            return .end(.success(.command(.cancel(answer))))
        case .refusal(.busy(let pause)), .refusal(.storageFull(let pause)):
            cancelling?.postpone(by: pause, at: now, using: &generator)
            return .nothing
        case .refusal:
            return unknown(at: now)
        default: return .end(.failure(.unexpectedReply))
        }
    }

    /// A copy was refused.
    ///
    /// One that met a busy controller leaves again when that has asked for it; any other refusal is the end
    /// if no copy can still be on its way.
    private mutating func refused(
        _ refusal: Refusal, at now: MonotonicTime, using generator: inout SeededGenerator
    ) -> Due {
        self.refusal = refusal
        sending.refused()
        if let pause = refusal.retryAfter {
            sending.postpone(by: pause, at: now, using: &generator)
            if sending.leavesAgain(before: deadline) { return .nothing }
        } else {
            sending.heard(at: now, using: &generator)
        }
        return sending.mayBeOnItsWay ? .nothing : .end(.failure(.refused(refusal)))
    }

    /// Its time is over.
    private func ended(at now: MonotonicTime) -> Due {
        if sending.mayBeOnItsWay { return unknown(at: now) }
        return refusal.map { .end(.failure(.refused($0))) } ?? .endUnsent
    }

    /// The honest end of a command that has left and of which nothing final was heard.
    private func unknown(at now: MonotonicTime) -> Due {
        let report = OutcomeReport(
            requestID: command.requestID, device: command.device, outcome: .unknown, actor: user,
            command: command.kind.kind,
            timing: OutcomeReport.Timing(totalUs: startedAt.duration(to: now).wholeMicroseconds))
        return .end(.success(.command(.outcome(report))))
    }
}

extension Command {
    /// The same command with the time that is left.
    fileprivate func leaving(with remaining: Duration) -> Command {
        Command(requestID: requestID, device: device, kind: kind, expected: expected, patience: remaining)
    }
}

/// How the wait for a command ended.
public enum CommandEnd: Hashable, Sendable {
    /// The command's outcome; `unknown` if it was sent and no final answer came in time.
    case outcome(OutcomeReport)
    /// The waiting task was cancelled, and the client cancelled the command with this answer.
    case cancel(CancelAnswer)
}
