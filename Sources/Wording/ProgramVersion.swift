import FleetProtocol

/// The version of the executables, as `--version` prints it.
public enum ProgramVersion {
    /// The release, by semantic versioning: the same for all executables.
    public static let release = "0.1.0"

    /// The lines for one executable: its release and the version of the wire contract, each a name, a blank
    /// and a version.
    public static func text(of program: String) -> String {
        "\(program) \(release)\nprotocol \(Limits.protocolVersion)"
    }
}
