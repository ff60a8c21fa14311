import FleetProtocol
import FoundationEssentials
import Glibc

/// The process's environment.
public enum Environment {
    /// The current variables with their values; one that is empty counts as unset.
    public static var current: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
    }

    /// The absolute path of the working directory.
    ///
    /// - Throws: `noWorkingDirectory` if it was removed, or `system` if it cannot be read.
    public static var workingDirectory: String {
        get throws(RuntimeError) {
            guard let bytes = getcwd(nil, 0) else {
                throw errno == ENOENT ? .noWorkingDirectory : .lastError("read", "the working directory")
            }
            defer { free(bytes) }
            return String(cString: bytes)
        }
    }

    /// The name of this machine, cut to what a node may report.
    public static var hostName: String {
        let name = ProcessInfo.processInfo.hostName
        return name.utf8.count <= Limits.hostBytes ? name : String(name.prefix(Limits.hostBytes / 4))
    }
}
