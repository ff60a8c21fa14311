import FleetProtocol
import Wording

/// How much of a device's state a line tells: what the request was about.
enum StateWording: Sendable {
    /// On or off.
    case power
    /// Everything that can be set.
    case everything
    /// What was set, which is not the state.
    case setting(String)

    /// The same for what a report is about: of a change of settings the state tells nothing.
    func fitting(_ command: CommandKind?) -> StateWording {
        if case .setting = self { return self }
        return command == .configure ? .setting("settings as asked") : self
    }

    /// The state in words.
    func words(for state: ACState) -> String {
        switch self {
        case .power: state.power
        case .everything:
            "\(state.power), \(state.mode.name), \(state.target), \(state.air)"
        case .setting(let words): words
        }
    }

    /// A state that is another than the one that was expected, in words.
    func words(forOther state: ACState) -> String {
        if case .setting = self { state.power } else { words(for: state) }
    }
}
