import FleetClient
import FleetProtocol
import UserText

struct OutcomeLine: Equatable, Sendable {
    enum Completion: Equatable, Sendable {
        case report(OutcomeReport)
        case refusal(Refusal)
        /// The client cancelled the request, with the answer to the cancel.
        case ownCancel(CancelReply)
        case failure(String, CommandFailure)
    }

    let requestID: RequestID
    /// The listed device; nil if only the report names the device.
    let device: ListedDevice?
    let completion: Completion

    var status: ExitStatus {
        switch completion {
        case .report(let report): ExitStatus(report.outcome)
        case .refusal(let refusal): ExitStatus(refusal)
        case .ownCancel(let answer): ExitStatus(ownCancel: answer)
        case .failure(_, let failure): failure.status
        }
    }

    var json: JSONObject {
        switch completion {
        case .report(let report): Self.json(of: report)
        case .refusal(let refusal): refusalJSON(refusal)
        case .ownCancel(.tooLate(let report)): Self.json(of: report)
        case .ownCancel(let answer): unreported(answer.name, message: answer.explanation)
        case .failure(let word, let failure): unreported(word, message: failure.problem)
        }
    }

    func text(_ wording: StateWording = .power) -> String {
        switch completion {
        case .report(let report): "\(name(of: report)): \(report.explanation(wording))"
        case .refusal(let refusal): "\(name): \(refusal.explanation)"
        case .ownCancel(.tooLate(let report)): "\(name): too late to cancel: \(report.explanation(wording))"
        case .ownCancel(.cancelled): "\(name): \(CancelReply.cancelled.explanation)"
        case .ownCancel(.pending):
            "\(name): \(CancelReply.pending.explanation); see `fleet outcome \(requestID)`"
        case .failure(_, let failure): "\(name): \(failure)"
        }
    }

    /// The keys that only a report has values for.
    private static let reportedKeys = [
        "state", "version", "incarnation", "attempts", "latencyUs", "user", "actor", "command",
    ]

    /// Whether the request succeeded; only then does its text go to standard output.
    var isResult: Bool { status == .done }

    private var name: String { device?.label ?? requestID.description }

    private func name(of report: OutcomeReport) -> String {
        device?.label ?? report.device?.description ?? requestID.description
    }

    private static func json(of report: OutcomeReport) -> JSONObject {
        let request: JSONObject = [
            "requestID": report.requestID.description, "device": report.device?.description,
        ]
        guard ExitStatus(report.outcome) != .done else { return request + report.endMembers }
        return request + report.endMembers + ["message": report.explanation(.power)]
    }

    private func refusalJSON(_ refusal: Refusal) -> JSONObject {
        var members: JSONObject = [:]
        switch refusal {
        case .offline(let lastSeen): members = ["lastSeen": lastSeen.map(TimeText.iso8601)]
        case .busy(let retryAfter), .storageFull(let retryAfter):
            members = ["retryAfterMs": retryAfter.wholeMilliseconds]
        case .idTooOld(let behind): members = ["behindMs": behind.wholeMilliseconds]
        case .unauthenticated, .notFound, .invalid, .idMismatch, .notAllowed, .offDuty, .moved: break
        }
        return unreported(refusal.name, message: refusal.explanation, and: members)
    }

    private func unreported(_ outcome: String, message: String, and members: JSONObject = [:]) -> JSONObject {
        let request: JSONObject = [
            "requestID": requestID.description, "device": device?.id.description, "outcome": outcome,
        ]
        return request + JSONObject(Self.reportedKeys.map { ($0, String?.none) }) + ["message": message]
            + members
    }
}

extension OutcomeLine.Completion {
    /// Except for a refusal or a cancel, a request that was sent may have been applied.
    init(_ error: FleetError) {
        switch error {
        case .refused(let refusal): self = .refusal(refusal)
        case .cancelled: self = .ownCancel(.cancelled)
        case .noReply: self = .failure("noAnswer", CommandFailure(error))
        case .noController: self = .failure("noController", CommandFailure(error))
        case .badReply, .unexpectedReply: self = .failure("badReply", CommandFailure(error))
        case .tooManyRequests: self = .failure("tooManyRequests", CommandFailure(error))
        case .closed, .transport: self = .failure("failed", CommandFailure(error))
        }
    }
}

struct CancelLine: Equatable, Sendable {
    let requestID: RequestID
    let answer: CancelReply

    /// The line for scripts; `outcome` names the request's outcome, or is null while the cancel is pending.
    var json: JSONObject {
        let outcome: Outcome? =
            switch answer {
            case .cancelled: .cancelled
            case .tooLate(let report): report.outcome
            case .pending: nil
            }
        return ["requestID": requestID.description, "result": answer.name, "outcome": outcome?.name]
    }

    var text: String {
        switch answer {
        case .cancelled: "\(requestID): \(answer.explanation)"
        case .tooLate(let report): "\(requestID): \(answer.explanation): \(report.explanation(.power))"
        case .pending: "\(requestID): \(answer.explanation); see `fleet outcome \(requestID)`"
        }
    }
}

extension OutcomeReport {
    /// Returns the outcome in words, with advice on what to do next.
    func explanation(_ wording: StateWording) -> String {
        let wording = wording.fitting(command)
        return switch outcome {
        case .applied(let state):
            "\(wording.text(for: state.state)) (version \(state.version)) in "
                + TimeText.span(microseconds: timing.totalUs)
        case .unchanged(let state):
            "unchanged: \(wording.text(for: state.state)) (version \(state.version))"
        case .conflict(let state):
            "conflict: it is now \(wording.text(forOther: state.state)) (version \(state.version)); nothing "
                + "was changed; check it, and repeat with --expect-version \(state.version)"
        case .rejected(let reason):
            "rejected by the device: \(SafeText.of(reason)); nothing was changed"
        case .cancelled: "cancelled: it was not applied and never will be; send it again if you still want it"
        case .expired:
            "expired: the device did not respond in time, and nothing was changed; try again with a longer "
                + "--timeout, such as 10s"
        case .undetermined(let reason):
            "undetermined: \(reason.text), so it may or may not have been applied; check the device "
                + "with `fleet devices`, then send it again"
        case .unknown:
            "no answer yet: it may still be applied; check with `fleet outcome \(requestID)`, "
                + "or cancel with `fleet cancel \(requestID)`"
        }
    }
}

extension CancelReply {
    var explanation: String {
        switch self {
        case .cancelled: "cancelled: nothing was changed"
        case .tooLate: "too late: it had already ended"
        case .pending: "cancel pending: the device has not answered yet"
        }
    }
}

/// The part of a device's state that a line shows, chosen by the kind of request.
enum StateWording: Sendable {
    case power
    /// Power, mode, target temperature, fan, swing and light.
    case everything
    /// A description of the changed settings, in place of the state.
    case setting(String)

    /// Returns the wording for a report's command; a settings change is described without the state.
    func fitting(_ command: CommandKind?) -> StateWording {
        if case .setting = self { return self }
        return command == .configure ? .setting("settings as requested") : self
    }

    func text(for state: ACState) -> String {
        switch self {
        case .power: state.power
        case .everything: "\(state.power), \(state.mode.name), \(state.target), \(state.air)"
        case .setting(let text): text
        }
    }

    func text(forOther state: ACState) -> String {
        if case .setting = self { state.power } else { text(for: state) }
    }
}
