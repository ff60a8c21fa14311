import FleetProtocol
import Wording

/// How much of a device's state a line tells: what the request was about.
enum StateWording: Sendable {
    /// On or off.
    case power
    /// Everything that can be set.
    case everything

    /// The state in words.
    func words(for state: ACState) -> String {
        switch self {
        case .power: state.power
        case .everything:
            "\(state.power), \(state.mode.name), \(state.target), \(state.air)"
        }
    }
}
