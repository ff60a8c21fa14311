package import FleetProtocol
import FoundationEssentials
import Glibc
package import UserFiles

public enum Environment {
    /// The current variables with their values; one that is empty counts as unset.
    public static var current: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
    }

    /// The absolute path of the working directory; `noWorkingDirectory` if it was removed.
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

extension Environment {
    /// The time zones of this machine: in `TZDIR`, or in `/usr/share/zoneinfo`.
    package static let timeZones = ZoneDatabase(directory: current["TZDIR"] ?? "/usr/share/zoneinfo")

    /// The time zone of this machine's clocks: that of `TZ`, of `/etc/localtime`, or of `/etc/timezone`; UTC
    /// if none of them names a zone of the database.
    package static var timeZone: TimeZoneName {
        let files = FileManager.default
        let names = [
            current["TZ"], try? files.destinationOfSymbolicLink(atPath: "/etc/localtime"),
            files.contents(atPath: "/etc/timezone").map { String(decoding: $0, as: UTF8.self) },
        ]
        return names.lazy.compactMap { $0.flatMap(timeZones.zone(in:)) }.first ?? .utc
    }
}
