import ArgumentParser
import FleetProtocol

/// A role as a command line names it.
enum RoleArgument: String, CaseIterable, ExpressibleByArgument {
    case owner, member, viewer

    /// What may be done in it, for the help text.
    var defaultValueDescription: String {
        switch self {
        case .owner: "does everything"
        case .member: "switches devices"
        case .viewer: "looks on"
        }
    }

    /// The role.
    var role: Session.Role {
        switch self {
        case .owner: .owner
        case .member: .member
        case .viewer: .viewer
        }
    }
}
