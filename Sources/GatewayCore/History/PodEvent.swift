public import FleetProtocol
public import Stepping

/// Something that happened to a pod.
public enum PodEvent: Sendable {
    /// Its state was changed, or was to be.
    case state(StateChange)
    /// What brought such a change about, by itself: a plan whose time had come, or a threshold.
    case cause(StateChange)
    /// Its Climate React was set, and whether it was only switched on or off.
    case climateReact(ClimateReact, isSwitched: Bool, at: WallTime)

    /// When it was.
    var at: WallTime {
        switch self {
        case .state(let change), .cause(let change): change.at
        case .climateReact(_, _, let time): time
        }
    }

    /// Its number in Sensibo's list of kinds, as clients have it: `AC_STATE.CHANGED`, `SCHEDULING`, and of
    /// Climate React `THRESHOLD_CROSSED`, `CHANGED` and that it was switched.
    var kind: Int {
        switch self {
        case .state: 1_000_000
        case .cause(let change): change.cause == .climateReact ? 1_031_000 : 1_020_000
        case .climateReact(_, let isSwitched, _): isSwitched ? 1_030_000 : 1_032_000
        }
    }

    /// This event and whatever brought it about that is one of its own, newest first.
    var withCause: [PodEvent] {
        guard case .state(let change) = self, change.isByItself else { return [self] }
        return [self, .cause(change)]
    }
}

extension StateChange {
    /// Whether the device did it by itself, as it was told to before.
    fileprivate var isByItself: Bool {
        switch cause {
        case .climateReact, .timer, .schedule: true
        case .request, .correction, .handRemote, .app: false
        }
    }
}
