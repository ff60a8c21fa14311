import FleetProtocol
import Stepping
import Wording

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
