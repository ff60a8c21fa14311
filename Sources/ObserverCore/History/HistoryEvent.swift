import FleetProtocol
import FleetReplica
import Stepping
import Wording

/// One thing that happened to a device: small, and put into words only when somebody looks.
struct HistoryEvent: Sendable, Equatable {
    /// What it was.
    enum What: Sendable, Equatable {
        /// It has another state, by what; whether that was learnt late, from a snapshot.
        case reported(DeviceState, by: ChangeCause, isRepair: Bool)
        /// It lost or found its connection.
        case presence(Presence.Kind)
        /// Its node came or went.
        case node(Presence.Kind)
        /// It is set to do something else by itself.
        case settings(DeviceSettings)
        /// A request for it ended; of which kind it was, where somebody says so.
        case ended(End, of: CommandKind?, actor: Email)
    }

    /// How a request ended, as far as words tell of it: without the life that the device's memory was in,
    /// which would make every event larger.
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

    /// What stands where no event is.
    static let blank = HistoryEvent(at: WallTime(unixMilliseconds: 0), what: .presence(.unknown))

    private init(at: WallTime, what: What) {
        self.at = at
        self.what = what
    }

    /// What an event says of one device, or of a node; nil for those that are no part of a history.
    ///
    /// - Parameter actors: Who asked for something: their addresses are kept once, not with each event.
    init?(_ event: ObserverEvent, actors: inout Actors) {
        at = event.at
        switch event.body {
        case .fleet(.reported(let reported)):
            what = .reported(reported.state, by: reported.cause, isRepair: reported.isRepair)
        case .fleet(.presence(_, let presence)): what = .presence(presence.kind)
        case .fleet(.node(let change)): what = .node(change.presence.kind)
        case .fleet(.settings(_, let settings)): what = .settings(settings)
        case .fleet(.outcome(let end)):
            let report = end.report
            what = .ended(End(report.outcome), of: report.command, actor: actors.kept(report.actor))
        case .fleet(.added), .fleet(.removed), .fleet(.connection), .fleet(.stale), .fleet(.resync),
            .fleet(.measured), .notice:
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

/// What happened to a device, in words fit for a terminal, and how they sound.
extension HistoryEvent {
    /// - Parameter offset: How far east of UTC the times in the words are.
    func spoken(eastOfUTC offset: Duration) -> (tone: EventLine.Tone, words: String) {
        switch what {
        case .reported(let state, let cause, let isRepair):
            let how = isRepair ? "learnt late" : cause.words
            return (
                .neutral, "\(state.state.power), \(state.state.settings), \(how) (version \(state.version))"
            )
        case .settings(let settings):
            return (.neutral, settings.words { TimeText.local($0, eastOfUTC: offset) })
        case .presence(let kind): return (kind == .online ? .success : .failure, kind.words)
        case .node(let kind): return Self.spoken(ofNode: kind)
        case .ended(let end, let kind, let actor):
            let (tone, words) = Self.spoken(end, of: kind)
            return (tone, "\(words), asked by \(SafeText.of(actor.address))")
        }
    }

    private static func spoken(ofNode kind: Presence.Kind) -> (EventLine.Tone, String) {
        switch kind {
        case .online: (.success, "its node is online")
        case .unknown: (.neutral, "its node was \(kind.words)")
        case .stale, .offline: (.failure, kind.words)
        }
    }

    private static func spoken(_ end: End, of kind: CommandKind?) -> (EventLine.Tone, String) {
        let request = kind?.noun ?? "request"
        return switch end {
        case .applied(let state, let version): (.success, deed(state, at: version, of: kind))
        case .unchanged(let state, let version):
            (.success, "\(request): already \(stands(state, at: version))")
        case .conflict(let state, let version):
            (.failure, "\(request): conflict, is \(stands(state, at: version))")
        case .rejected(let why): (.failure, "\(request) rejected: \(SafeText.of(why))")
        case .undetermined(let reason): (.failure, "\(request) undetermined: \(reason.words)")
        case .cancelled: (.neutral, "\(request) cancelled")
        case .expired: (.failure, "\(request) expired")
        case .unknown: (.neutral, "\(request) without an answer yet")
        }
    }

    private static func deed(_ state: ACState, at version: Version, of kind: CommandKind?) -> String {
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
    /// What a request of the kind is called.
    fileprivate var noun: String {
        switch self {
        case .toggle: "toggle"
        case .set: "change"
        case .correct: "correction"
        case .configure: "change of settings"
        }
    }
}

/// Addresses of people, each kept once however many events name it.
struct Actors: Sendable {
    /// Those that are kept at most; beyond, all are begun anew.
    static let limit = 256

    private(set) var known: Set<Email> = []

    /// That address, in the memory that it has had before where it has any.
    mutating func kept(_ actor: Email) -> Email {
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        return known.insert(actor).memberAfterInsert
    }
}
