import FleetClient
import FleetProtocol
import Stepping
import Wording

/// How one request ended, ready to be told to a script or to a person.
struct OutcomeLine: Equatable, Sendable {
    /// What can be told of a request.
    enum Ending: Equatable, Sendable {
        /// The controller's report.
        case report(OutcomeReport)
        /// The message was not accepted.
        case refusal(Refusal)
        /// It was taken back on its way; what became of that.
        case takenBack(CancelAnswer)
        /// It did not get that far: a word for scripts, and why.
        case failure(String, CommandFailure)
    }

    /// The request.
    let requestID: RequestID
    /// The device as people know it; nil where only the report knows.
    let device: ListedDevice?
    /// How it ended.
    let ending: Ending

    /// What the shell is told.
    var status: ExitStatus {
        switch ending {
        case .report(let report): ExitStatus(report.outcome)
        case .refusal(let refusal): ExitStatus(refusal)
        case .takenBack(let answer): ExitStatus(takenBack: answer)
        case .failure(_, let failure): failure.status
        }
    }

    /// The line for scripts.
    ///
    /// Every line has the keys of the contract in their order. Without a report those of the device's state
    /// are null, and `message` and the time that a refusal names follow.
    var json: JSONValue {
        switch ending {
        case .report(let report): Self.json(of: report)
        case .refusal(let refusal): refusalJSON(refusal)
        case .takenBack(.tooLate(let report)): Self.json(of: report)
        case .takenBack(let answer): unreported(answer.name, message: answer.explanation)
        case .failure(let word, let failure): unreported(word, message: failure.problem)
        }
    }

    /// The line for people.
    ///
    /// - Parameter wording: What of the state the request was about.
    func text(_ wording: StateWording = .power) -> String {
        switch ending {
        case .report(let report): "\(name(of: report)): \(report.explanation(wording))"
        case .refusal(let refusal): "\(name): \(refusal.explanation)"
        case .takenBack(.tooLate(let report)):
            "\(name): too late to cancel: \(report.explanation(wording))"
        case .takenBack(.cancelled): "\(name): \(CancelAnswer.cancelled.explanation)"
        case .takenBack(.pending):
            "\(name): \(CancelAnswer.pending.explanation); see `fleet outcome \(requestID)`"
        case .failure(_, let failure): "\(name): \(failure)"
        }
    }

    /// The keys that only a report has values for.
    private static let reportedKeys = [
        "state", "version", "incarnation", "attempts", "latencyUs", "actor", "command",
    ]

    /// Whether the line is a result; everything else is talk.
    var isResult: Bool { status == .done }

    private var name: String {
        device?.label ?? requestID.description
    }

    private func name(of report: OutcomeReport) -> String {
        device?.label ?? report.device?.description ?? requestID.description
    }

    private static func json(of report: OutcomeReport) -> JSONValue {
        let request: [JSONValue.Member] = [
            .init("requestID", .text(report.requestID)), .init("device", .text(report.device)),
        ]
        return .object(request + report.endMembers)
    }

    private func refusalJSON(_ refusal: Refusal) -> JSONValue {
        var members: [JSONValue.Member] = []
        switch refusal {
        case .offline(let lastSeen):
            members.append(.init("lastSeen", .text(lastSeen.map(TimeText.iso8601))))
        case .busy(let retryAfter), .storageFull(let retryAfter):
            members.append(.init("retryAfterMs", .integer(retryAfter.wholeMilliseconds)))
        case .idTooOld(let behind):
            members.append(.init("behindMs", .integer(behind.wholeMilliseconds)))
        case .unauthenticated, .notFound, .invalid, .idMismatch, .notAllowed, .offDuty: break
        }
        return unreported(refusal.name, message: refusal.explanation, and: members)
    }

    private func unreported(
        _ outcome: String, message: String, and members: [JSONValue.Member] = []
    ) -> JSONValue {
        .object(
            [
                .init("requestID", .string(requestID.description)),
                .init("device", .text(device?.id)),
                .init("outcome", .string(outcome)),
            ]
                + Self.reportedKeys.map { .init($0, .null) } + [.init("message", .string(message))] + members)
    }
}

extension OutcomeLine.Ending {
    /// How a request ended for which the client got no answer.
    ///
    /// The words for scripts are the error's own; whether anything was done is unknown where it left.
    init(_ error: FleetError) {
        switch error {
        case .refused(let refusal): self = .refusal(refusal)
        case .cancelled: self = .takenBack(.cancelled)
        case .noAnswer: self = .failure("noAnswer", CommandFailure(error))
        case .noController: self = .failure("noController", CommandFailure(error))
        case .badReply, .unexpectedReply: self = .failure("badReply", CommandFailure(error))
        case .tooManyRequests: self = .failure("tooManyRequests", CommandFailure(error))
        case .closed, .transport: self = .failure("failed", CommandFailure(error))
        }
    }
}

/// What became of a cancel, ready to be told.
struct CancelLine: Equatable, Sendable {
    /// The request that was to be cancelled.
    let requestID: RequestID
    /// What became of it.
    let answer: CancelAnswer

    /// The line for scripts: `outcome` is the word of how the request ended, null while it has not.
    var json: JSONValue {
        let outcome: Outcome? =
            switch answer {
            case .cancelled: .cancelled
            case .tooLate(let report): report.outcome
            case .pending: nil
            }
        return [
            "requestID": .string(requestID.description),
            "result": .string(answer.name),
            "outcome": .text(outcome?.name),
        ]
    }

    /// The line for people.
    var text: String {
        switch answer {
        case .cancelled: "\(requestID): \(answer.explanation)"
        case .tooLate(let report): "\(requestID): \(answer.explanation): \(report.explanation(.power))"
        case .pending: "\(requestID): \(answer.explanation); see `fleet outcome \(requestID)`"
        }
    }
}

extension OutcomeReport {
    /// How it ended in words, with what to do next.
    func explanation(_ wording: StateWording) -> String {
        let wording = wording.fitting(command)
        return switch outcome {
        case .applied(let state):
            "\(wording.words(for: state.state)) (version \(state.version)) in "
                + TimeText.span(microseconds: timing.totalUs)
        case .unchanged(let state):
            "was so already: \(wording.words(for: state.state)) (version \(state.version))"
        case .conflict(let state):
            "conflict: it is now \(wording.words(forOther: state.state)) (version \(state.version)), so nothing "
                + "was done; look at it, and ask again with --expect-version \(state.version)"
        case .rejected(let reason):
            "rejected by the device: \(SafeText.of(reason)); nothing was done: ask for what it allows"
        case .cancelled: "cancelled: it was not applied and never will be; ask anew if you still want it"
        case .expired:
            "expired: its time was over before it was done, and it never will be; ask anew, with more time "
                + "(--timeout 10s)"
        case .undetermined(let reason):
            "undetermined: \(reason.words), so nobody can say whether it was applied; look at the device "
                + "with `fleet devices`, then ask anew"
        case .unknown:
            "no answer yet: it may still be applied; `fleet outcome \(requestID)` tells, "
                + "`fleet cancel \(requestID)` takes it back"
        }
    }
}

extension CancelAnswer {
    /// What became of a cancel, in words.
    var explanation: String {
        switch self {
        case .cancelled: "cancelled in time: nothing was changed"
        case .tooLate: "too late: it had already ended"
        case .pending: "cancel pending: the device has been asked and has not answered"
        }
    }
}

/// How much of a device's state a line tells: what the request was about.
enum StateWording: Sendable {
    /// On or off.
    case power
    /// Everything that can be set.
    case everything
    /// What was set, which is not the state.
    case setting(String)

    /// The same for what a report is about: of a change of settings the state tells nothing.
    func fitting(_ command: CommandKind?) -> StateWording {
        if case .setting = self { return self }
        return command == .configure ? .setting("settings as asked") : self
    }

    /// The state in words.
    func words(for state: ACState) -> String {
        switch self {
        case .power: state.power
        case .everything:
            "\(state.power), \(state.mode.name), \(state.target), \(state.air)"
        case .setting(let words): words
        }
    }

    /// A state that is another than the one that was expected, in words.
    func words(forOther state: ACState) -> String {
        if case .setting = self { state.power } else { words(for: state) }
    }
}
