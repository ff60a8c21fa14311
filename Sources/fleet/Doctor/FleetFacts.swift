import FleetProtocol
import Runtime

/// What `fleet doctor` looks at that is one fleet's.
struct FleetFacts: Equatable, Sendable {
    /// A file or directory of the run directory.
    struct File: Equatable, Sendable {
        /// Its name within the run directory; `.` for that itself.
        let name: String
        /// The user it belongs to.
        let owner: UInt32
        /// Who may do what, the nine bits of `chmod`.
        let permissions: UInt32
    }

    /// What became of asking the controller.
    enum Answer: Equatable, Sendable {
        /// It told how the devices are.
        case report(StatusReport)
        /// It was not asked: nobody has logged in; why not, in words.
        case noSession(String)
        /// It answered that it does not know the session.
        case unauthenticated
        /// It did not answer; why, in words.
        case silence(String)
    }

    /// Where the run directory is.
    var path: String
    /// The user who asks.
    var user: UInt32
    /// What is in the run directory.
    var files: [File]
    /// The reason why the run directory cannot be trusted, and its processes are not asked; nil when it can.
    var objection: RuntimeError?
    /// The bytes of the longest socket's path in the run directory.
    var socketPathBytes: Int
    /// Whether the sockets are in a short directory that the run directory leads to.
    var areSocketsLinked: Bool
    /// The names of the socket files that are there.
    var sockets: [String]
    /// Who holds which lock: process ids by the process's name.
    var holders: [String: Int32]
    /// The supervisor's processes; nil when none answered.
    var processes: [FleetProcess]?
    /// The supervisor's summary; nil likewise.
    var summary: FleetSummary?
    /// Where people find the fleet.
    var place: FleetPlace
    /// The processes of this fleet that are stopped, by their names.
    var stopped: [String: Int32] = [:]
    /// What the controller answered; nil when no controller is there to be asked.
    var answer: Answer?

    /// The supervisor's nodes.
    var nodes: [FleetProcess] { (processes ?? []).filter { $0.name.hasPrefix("node-") } }
}
