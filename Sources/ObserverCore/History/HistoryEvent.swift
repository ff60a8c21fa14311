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
