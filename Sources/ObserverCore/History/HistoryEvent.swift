import FleetProtocol
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
        /// It is set to do something else by itself.
        case settings(DeviceSettings)
        /// A request for it ended.
        case ended(Outcome, actor: Email)
    }

    let at: WallTime
    let what: What

    /// What stands where no event is.
    static let blank = HistoryEvent(at: WallTime(unixMilliseconds: 0), what: .presence(.unknown))

    private init(at: WallTime, what: What) {
        self.at = at
        self.what = what
    }

    /// What an event says of one device; nil for those that are no part of a device's history.
    ///
    /// - Parameter actors: Who asked for something: their addresses are kept once, not with each event.
    init?(_ event: ObserverEvent, actors: inout Actors) {
        at = event.at
        switch event.body {
        case .reported(let reported):
            what = .reported(reported.state, by: reported.cause, isRepair: reported.isRepair)
        case .presence(_, let presence): what = .presence(presence.kind)
        case .settings(_, let settings): what = .settings(settings)
        case .outcome(let end): what = .ended(end.report.outcome, actor: actors.kept(end.report.actor))
        case .node, .notice, .stale, .resync, .measured: return nil
        }
    }

    /// Its words, fit for a terminal, with how they sound.
    var spoken: (tone: EventLine.Tone, words: String) {
        switch what {
        case .reported(let state, let cause, let isRepair):
            let how = isRepair ? "learnt late" : cause.words
            return (
                .neutral, "\(state.state.power), \(state.state.settings), \(how) (version \(state.version))"
            )
        case .settings(let settings): return (.neutral, settings.words)
        case .presence(let kind): return (kind == .online ? .success : .failure, kind.words)
        case .ended(let outcome, let actor):
            let stands = outcome.state.map { ": \($0.state.power) at version \($0.version)" } ?? ""
            let words = "\(outcome.name)\(stands), asked by \(SafeText.of(actor.address))"
            return (EventLine.Tone(of: outcome), words)
        }
    }
}
