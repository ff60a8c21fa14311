import FleetProtocol

/// How one process of a fleet is run.
struct ProcessPlan: Equatable, Sendable {
    /// Where its input and output go.
    enum Stdio: Equatable, Sendable {
        /// Nothing comes in; what it says is appended to that file.
        case log(file: String)
        /// Those of the supervisor: the process is in front of the person.
        case inherited
        /// Likewise, and the process draws on a terminal, which is put back if the process cannot.
        case screen
    }

    /// Its name: `controller`, or `node-1`.
    let name: String
    /// What it is to the fleet.
    let role: ProcessRole
    /// The path of its executable.
    let executable: String
    /// Its arguments, the executable's name left out.
    let arguments: [String]
    /// Where its input and output go.
    let stdio: Stdio
    /// The token that it finds in its environment; only a node has one.
    var nodeToken: Token?
}
