public import FleetProtocol
public import Stepping

/// Something that happened to a pod.
public enum PodEvent: Sendable {
    /// Its state was changed, or was to be.
    case state(StateChange)
    /// Its Climate React was set, and whether it was only switched on or off.
    case climateReact(ClimateReact, isSwitched: Bool, at: WallTime)

    /// When it was.
    var at: WallTime {
        switch self {
        case .state(let change): change.at
        case .climateReact(_, _, let time): time
        }
    }

    /// Its number in Sensibo's list of kinds, as clients have it: `AC_STATE.CHANGED`, and of Climate React
    /// `CHANGED` and that it was switched.
    var kind: Int {
        switch self {
        case .state: 1_000_000
        case .climateReact(_, let isSwitched, _): isSwitched ? 1_030_000 : 1_032_000
        }
    }
}
