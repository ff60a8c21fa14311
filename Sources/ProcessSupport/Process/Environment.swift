import FleetProtocol
import FoundationEssentials

/// The process's environment.
public enum Environment {
    /// The current variables with their values.
    public static var current: [String: String] { ProcessInfo.processInfo.environment }

    /// The absolute path of the working directory.
    public static var workingDirectory: String { FileManager.default.currentDirectoryPath }

    /// The name of this machine, cut to what a node may report.
    public static var hostName: String {
        let name = ProcessInfo.processInfo.hostName
        return name.utf8.count <= Limits.hostBytes ? name : String(name.prefix(Limits.hostBytes / 4))
    }
}
