import FleetProtocol
import Stepping
import Wording

/// One thing that happened to a device: small, and put into words only when somebody looks.
struct HistoryEvent: Sendable, Equatable {
    /// What it was.
    enum What: Sendable, Equatable {
        /// It has another state; whether that was learnt late, from a snapshot.
        case reported(DeviceState, isRepair: Bool)
        /// It lost or found its connection.
        case presence(Presence.Kind)
        /// A request for it ended.
        case ended(Outcome, actor: Email)
    }

    let at: WallTime
    let what: What

    /// What an event says of one device; nil for those that are no part of a device's history.
    init?(_ event: ObserverEvent) {
        at = event.at
        switch event.body {
        case .reported(let reported): what = .reported(reported.state, isRepair: reported.isRepair)
        case .presence(_, let presence): what = .presence(presence.kind)
        case .outcome(let end): what = .ended(end.report.outcome, actor: end.report.actor)
        case .node, .notice, .stale, .resync, .measured: return nil
        }
    }

    /// Its words, fit for a terminal, with how they sound.
    var spoken: (tone: EventLine.Tone, words: String) {
        switch what {
        case .reported(let state, let isRepair):
            let late = isRepair ? ", learnt late" : ""
            return (
                .neutral, "\(state.state.power), \(state.state.settings) (version \(state.version)\(late))"
            )
        case .presence(let kind): return (kind == .online ? .success : .failure, kind.words)
        case .ended(let outcome, let actor):
            let stands = outcome.state.map { ": \($0.state.power) at version \($0.version)" } ?? ""
            return (tone(of: outcome), "\(outcome.name)\(stands), asked by \(SafeText.of(actor.address))")
        }
    }

    private func tone(of outcome: Outcome) -> EventLine.Tone {
        switch outcome {
        case .applied, .unchanged: .success
        case .cancelled, .unknown: .neutral
        case .conflict, .rejected, .expired, .undetermined: .failure
        }
    }
}
