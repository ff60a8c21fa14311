package import FleetProtocol
import FoundationEssentials
package import UserFiles

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
