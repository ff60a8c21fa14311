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
