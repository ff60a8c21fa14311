public import FleetProtocol
public import FleetReplica
public import FleetTime
public import UserText

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

    /// The reply to a cancel; if the cancel came too late, `end` is the end of the request.
    public static func json(_ answer: CancelAnswer, of requestID: RequestID) -> JSONValue {
        let (kind, words) =
            switch answer {
            case .cancelled: ("cancelled", "Cancelled. Nothing changed.")
            case .tooLate(let report): ("too-late", Self.tooLate(report))
            case .pending: ("pending", "Cancelling when the device answers.")
            }
        var answered: [JSONValue.Member] = [
            .init("requestId", .string(requestID.description)), .init("kind", .string(kind)),
            .init("words", .string(words)),
        ]
        if case .tooLate(let report) = answer { answered.append(.init("end", json(report))) }
        return .object(answered)
    }

    /// How it ended, in words.
    ///
    /// Never "failed" of something that may have been applied.
    public static func words(of report: OutcomeReport) -> String {
        switch report.outcome {
        case .applied(let state): applied(state.state, by: report.command)
        case .unchanged(let state): "Already \(state.state.power). Nothing was sent."
        case .conflict(let state): "Already changed: it’s \(state.state.power) now. Nothing was sent."
        case .rejected(let why): "The device rejected it: \(SafeText.of(why))"
        case .cancelled: "Cancelled. Nothing changed."
        case .expired: "The device didn’t respond in time. Nothing changed."
        case .undetermined(let reason): "We couldn’t confirm whether it switched: \(reason.words)"
        case .unknown: "No answer yet. It may still switch."
        }
    }

    private static func applied(_ state: ACState, by command: CommandKind?) -> String {
        switch command {
        case .toggle, nil: "Turned \(state.power)"
        case .set, .correct: "Set to \(state.power), \(state.settings)"
        case .configure: "Settings changed"
        }
    }

    private static func tooLate(_ report: OutcomeReport) -> String {
        guard let state = report.outcome.state else { return words(of: report) }
        return "Too late to cancel: it’s \(state.state.power)"
    }

    /// The request, how it ended and, if the outcome has it, the state of the device.
    private static func members(of report: OutcomeReport) -> [JSONValue.Member] {
        let state = report.outcome.state.map { JSONValue.object(PageDevice.members(of: $0)) }
        return [
            .init("requestId", .string(report.requestID.description)),
            .init("device", .text(report.device)),
            .init("kind", .string(report.outcome.name)),
            .init("words", .string(words(of: report))),
            .init("actor", .string(report.actor.address)),
            .init("state", state ?? .null),
        ]
    }
}

/// How the last requests for each device of an account ended, for as long as there is room.
public struct RequestEnds: Sendable {
    /// Ends of one device.
    public static let endsAtMost = 64
    /// Ends of all devices.
    public static let endsInAll = 1 << 16

    /// An end, and when the controller told of it.
    struct End: Sendable {
        let report: OutcomeReport
        let at: WallTime
    }

    private var ends: FairRings<End>

    /// None has ended.
    public init() { self.init(endsInAll: Self.endsInAll) }

    init(endsInAll: Int) { ends = FairRings(most: min(Self.endsAtMost, endsInAll), total: endsInAll) }

    /// Takes what a replica says that has happened.
    public mutating func note(_ event: FleetEvent) {
        switch event.body {
        case .outcome(let end):
            guard let device = end.report.device else { return }
            ends.append(End(report: end.report, at: event.at), to: device)
        case .removed(let device): ends.remove(device.id)
        case .reported, .settings, .measured, .presence, .node, .added, .connection, .stale, .resync,
            .service:
            break
        }
    }

    /// Those of a device, oldest first.
    func of(_ device: DeviceID) -> [End] { Array(ends[device]) }
}
