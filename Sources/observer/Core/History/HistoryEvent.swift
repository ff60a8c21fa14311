import FleetProtocol
import FleetReplica
import UserText

/// An event in the history of a device: compact, and formatted only for display.
struct HistoryEvent: Sendable, Equatable {
    enum What: Sendable, Equatable {
        /// The device reported another state, with its cause; a repair was learnt late, from a snapshot.
        case reported(DeviceState, by: ChangeCause, isRepair: Bool)
        case presence(Presence.Kind)
        case node(Presence.Kind)
        case settings(DeviceSettings)
        /// A request for the device ended; the kind of its command, if the controller sent it.
        case ended(End, of: CommandKind?, user: Email)
    }

    /// The outcome of a request, with the fields that its text needs; the device's incarnation is omitted,
    /// because it would enlarge every event.
    enum End: Sendable, Equatable {
        case applied(ACState, Version)
        case unchanged(ACState, Version)
        case conflict(ACState, Version)
        case rejected(String)
        case undetermined(UndeterminedReason)
        case cancelled, expired, unknown
    }

    let at: WallTime
    let what: What

    /// The filler of unused ring slots.
    static let blank = HistoryEvent(at: WallTime(unixMilliseconds: 0), what: .presence(.unknown))

    private init(at: WallTime, what: What) { (self.at, self.what) = (at, what) }

    /// The history event for an event of a device or node; nil for kinds that histories do not record. Each
    /// user's address is stored once, not with each event.
    init?(_ event: ObserverEvent, users: inout Users) {
        at = event.at
        switch event.body {
        case .fleet(.reported(let reported)):
            what = .reported(reported.state, by: reported.cause, isRepair: reported.isRepair)
        case .fleet(.presence(_, let presence)): what = .presence(presence.kind)
        case .fleet(.node(let change)): what = .node(change.presence.kind)
        case .fleet(.settings(_, let settings)): what = .settings(settings)
        case .fleet(.outcome(let end)):
            let report = end.report
            what = .ended(End(report.outcome), of: report.command, user: users.shared(report.user))
        case .fleet(.added), .fleet(.removed), .fleet(.connection), .fleet(.stale), .fleet(.resync),
            .fleet(.measured), .fleet(.service), .notice:
            return nil
        }
    }
}

extension HistoryEvent.End {
    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .applied(let now): .applied(now.state, now.version)
            case .unchanged(let now): .unchanged(now.state, now.version)
            case .conflict(let now): .conflict(now.state, now.version)
            case .rejected(let why): .rejected(why)
            case .undetermined(let reason): .undetermined(reason)
            case .cancelled: .cancelled
            case .expired: .expired
            case .unknown: .unknown
            }
    }
}

extension HistoryEvent {
    /// The offset of local time from UTC is positive to the east.
    func described(eastOfUTC offset: Duration) -> (tone: EventLine.Tone, text: String) {
        switch what {
        case .reported(let state, let cause, let isRepair):
            let how = isRepair ? "from a snapshot" : cause.text
            return (
                .neutral, "\(state.state.power), \(state.state.settings), \(how) (version \(state.version))"
            )
        case .settings(let settings):
            return (.neutral, settings.text { TimeText.local($0, eastOfUTC: offset) })
        case .presence(let kind): return (kind == .online ? .success : .failure, kind.text)
        case .node(let kind): return Self.described(ofNode: kind)
        case .ended(let end, let kind, let user):
            let (tone, text) = Self.described(end, of: kind)
            return (tone, "\(text), requested by \(SafeText.of(user.address))")
        }
    }

    private static func described(ofNode kind: Presence.Kind) -> (EventLine.Tone, String) {
        switch kind {
        case .online: (.success, "node online")
        case .unknown: (.neutral, "node \(kind.text)")
        case .stale, .offline: (.failure, kind.text)
        }
    }

    private static func described(_ end: End, of kind: CommandKind?) -> (EventLine.Tone, String) {
        let request = kind?.noun ?? "request"
        return switch end {
        case .applied(let state, let version): (.success, appliedChange(state, at: version, of: kind))
        case .unchanged(let state, let version):
            (.success, "\(request): already \(stands(state, at: version))")
        case .conflict(let state, let version):
            (.failure, "\(request): conflict, \(stands(state, at: version))")
        case .rejected(let why): (.failure, "\(request) rejected: \(SafeText.of(why))")
        case .undetermined(let reason): (.failure, "\(request) undetermined: \(reason.text)")
        case .cancelled: (.neutral, "\(request) cancelled")
        case .expired: (.failure, "\(request) expired")
        case .unknown: (.neutral, "\(request): no answer yet")
        }
    }

    private static func appliedChange(_ state: ACState, at version: Version, of kind: CommandKind?) -> String
    {
        let settings = "\(state.power), \(state.settings) at version \(version)"
        return switch kind {
        case .toggle: "toggled \(stands(state, at: version))"
        case .set: "set to \(settings)"
        case .correct: "corrected to \(settings)"
        case .configure: "settings changed"
        case nil: "applied: \(stands(state, at: version))"
        }
    }

    private static func stands(_ state: ACState, at version: Version) -> String {
        "\(state.power) at version \(version)"
    }
}

extension CommandKind {
    fileprivate var noun: String {
        switch self {
        case .toggle: "toggle"
        case .set: "change"
        case .correct: "correction"
        case .configure: "change of settings"
        }
    }
}

/// The email addresses of users, each stored once and shared by all events that name it.
struct Users: Sendable {
    /// The largest number of addresses; the next call of ``shared(_:)`` clears the set.
    static let limit = 256

    private(set) var known: Set<Email> = []

    /// Returns the address, sharing the memory of an equal one that is already stored.
    mutating func shared(_ user: Email) -> Email {
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        return known.insert(user).memberAfterInsert
    }
}
