public import FleetProtocol
public import Stepping
public import Wording

/// How a request ended, as the page tells it.
public enum PageEnding {
    /// What an event stream says of a request that has ended.
    public static func json(_ report: OutcomeReport, at time: WallTime) -> JSONValue {
        .object(members(of: report) + [.init("at", .integer(time.unixMilliseconds))])
    }

    /// What a device's history says of it, with how long it took.
    static func history(_ report: OutcomeReport, at time: WallTime) -> JSONValue {
        .object(
            members(of: report) + [
                .init("at", .integer(time.unixMilliseconds)),
                .init("latencyMicroseconds", .unsigned(report.timing.totalUs)),
            ])
    }

    /// What whoever asked for a change is answered.
    public static func json(_ report: OutcomeReport) -> JSONValue { .object(members(of: report)) }

    /// What whoever asked is answered where the controller did not take it, or could not be asked.
    public static func refused(_ requestID: RequestID, why: String) -> JSONValue {
        ["requestId": .string(requestID.description), "kind": .string("refused"), "words": .string(why)]
    }

    /// What whoever took a request back is answered.
    public static func json(_ answer: CancelAnswer, of requestID: RequestID) -> JSONValue {
        let (kind, words) =
            switch answer {
            case .cancelled: ("cancelled", "taken back in time, nothing was changed")
            case .tooLate(let report): ("too-late", "too late: \(Self.words(of: report))")
            case .pending: ("pending", "the device has been asked, and has not answered")
            }
        return [
            "requestId": .string(requestID.description), "kind": .string(kind), "words": .string(words),
        ]
    }

    /// How it ended, in words.
    ///
    /// Never "failed" of something that may have been applied.
    public static func words(of report: OutcomeReport) -> String {
        switch report.outcome {
        case .applied(let state):
            "\(state.state.power) in \(TimeText.span(microseconds: report.timing.totalUs))"
        case .unchanged(let state): "was \(state.state.power) already"
        case .conflict(let state):
            "somebody was faster: it is \(state.state.power) now, and nothing was done"
        case .rejected(let why): "rejected by the device: \(SafeText.of(why))"
        case .cancelled: "taken back, nothing was changed"
        case .expired: "its time was over before it was done, and nothing was changed"
        case .undetermined(let reason): "nobody can say whether it was done: \(reason.words)"
        case .unknown: "no answer yet: it may still be done"
        }
    }

    private static func members(of report: OutcomeReport) -> [JSONValue.Member] {
        [
            .init("requestId", .string(report.requestID.description)),
            .init("device", .text(report.device)),
            .init("kind", .string(report.outcome.name)),
            .init("words", .string(words(of: report))),
            .init("actor", .string(report.actor.address)),
        ]
    }
}
