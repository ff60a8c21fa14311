public import FleetProtocol
public import FleetReplica
public import UserText

public enum PageOutcome {
    public static func json(_ report: OutcomeReport, at time: WallTime) -> JSONObject {
        json(report) + ["at": time.unixMilliseconds]
    }

    static func history(_ report: OutcomeReport, at time: WallTime) -> JSONObject {
        json(report, at: time) + ["latencyMicroseconds": report.timing.totalUs]
    }

    /// The answer to a request that the controller refused, or that could not be sent.
    public static func refused(_ requestID: RequestID, why: String) -> JSONObject {
        ["requestId": requestID.description, "kind": "refused", "words": why]
    }

    /// The reply to a cancel; if the cancel came too late, `end` is the end of the request.
    public static func json(_ answer: CancelReply, of requestID: RequestID) -> JSONObject {
        let (kind, text) =
            switch answer {
            case .cancelled: ("cancelled", "Cancelled. Nothing changed.")
            case .tooLate(let report): ("too-late", Self.tooLate(report))
            case .pending: ("pending", "Cancelling when the device answers.")
            }
        let answered: JSONObject = ["requestId": requestID.description, "kind": kind, "words": text]
        guard case .tooLate(let report) = answer else { return answered }
        return answered + ["end": json(report)]
    }

    /// The outcome in words. A change that may have been applied is never called failed.
    public static func text(of report: OutcomeReport) -> String {
        switch report.outcome {
        case .applied(let state): applied(state.state, by: report.command)
        case .unchanged(let state): "Already \(state.state.power). Nothing was sent."
        case .conflict(let state): "Already changed: it’s \(state.state.power) now. Nothing was sent."
        case .rejected(let why): "The device rejected it: \(SafeText.of(why))"
        case .cancelled: "Cancelled. Nothing changed."
        case .expired: "The device didn’t respond in time. Nothing changed."
        case .undetermined(let reason): "We couldn’t confirm whether it switched: \(reason.text)"
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
        guard let state = report.outcome.state else { return text(of: report) }
        return "Too late to cancel: it’s \(state.state.power)"
    }

    public static func json(_ report: OutcomeReport) -> JSONObject {
        [
            "requestId": report.requestID.description, "device": report.device?.description,
            "kind": report.outcome.name, "words": text(of: report), "actor": report.user.address,
            "state": report.outcome.state.map(PageDevice.members),
        ]
    }
}

/// The newest ended requests of each device of an account, in bounded memory.
public struct RequestEnds: Sendable {
    static let endsAtMost = 64
    static let endsInAll = 1 << 16

    struct End: Sendable {
        let report: OutcomeReport
        let at: WallTime
    }

    private var ends: FairRings<End>

    public init() { self.init(endsInAll: Self.endsInAll) }

    init(endsInAll: Int) { ends = FairRings(most: min(Self.endsAtMost, endsInAll), total: endsInAll) }

    public mutating func record(_ event: FleetEvent) {
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

    func of(_ device: DeviceID) -> [End] { Array(ends[device]) }
}
