import ArgumentParser
import FleetProtocol

/// A key's scope as a command line names it.
enum KeyScopeArgument: String, CaseIterable, ExpressibleByArgument {
    case read, `switch`

    /// What may be done in it, for the help text.
    var defaultValueDescription: String {
        switch self {
        case .read: "reads"
        case .switch: "switches devices too, runs sequences and writes in the logbook"
        }
    }

    /// The scope.
    var scope: APIKey.Scope {
        switch self {
        case .read: .read
        case .switch: .switch
        }
    }
}
