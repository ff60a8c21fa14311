/// The sockets of a fleet, each an ipc file of its run directory.
public enum FleetSocket: String, CaseIterable, Sendable {
    /// What nodes publish.
    case telemetry
    /// Commands to nodes and their answers.
    case devices
    /// Requests of users.
    case clients
    /// What observers hear.
    case stream
    /// Questions to the supervisor.
    case supervisor

    /// The name of its file.
    public var fileName: String { "\(rawValue).sock" }
}
