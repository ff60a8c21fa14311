package import FleetProtocol
import FoundationEssentials
import Synchronization

/// The time zones of the IANA Time Zone Database on this machine.
///
/// Only the database's own names and links count, in the database's spelling: abbreviations such as `BST`
/// mean different zones to different people.
package final class ZoneDatabase: Sendable {
    /// Other files in the directory of the database: copies of all zones, some with leap seconds,
    /// and copies of single zones.
    private static let otherFiles: Set<Substring> = ["posix", "right", "posixrules", "localtime", "Factory"]
    /// More than any zone needs: those of version 2025b have up to 3,664 bytes.
    private static let byteLimit = 1 << 18

    package let directory: String
    /// The zones that were asked for.
    private let zones = Mutex<[TimeZoneName: ZoneFile]>([:])

    package init(directory: String) { self.directory = directory }

    /// Whether the database is on this machine; without it only `UTC` is known.
    package var isInstalled: Bool { zone(named: "Etc/UTC") != nil }

    package func has(_ name: TimeZoneName) -> Bool {
        secondsEast(in: name, at: WallTime(unixMilliseconds: 0)) != nil
    }

    /// Returns the seconds by which a zone's clocks are ahead of UTC at a time, negative if they are behind;
    /// nil for a zone that the database does not have.
    package func secondsEast(in name: TimeZoneName, at time: WallTime) -> Int64? {
        if name == .utc { return 0 }
        let second = time.unixMilliseconds.dividedDown(by: 1_000)
        if let known = zones.withLock({ $0[name] }) { return known.secondsEast(at: second) }
        guard let zone = zone(named: name.text) else { return nil }
        zones.withLock { $0[name] = zone }
        return zone.secondsEast(at: second)
    }

    private func zone(named name: String) -> ZoneFile? {
        guard let first = name.split(separator: "/").first, !Self.otherFiles.contains(first),
            let content = FileManager.default.contents(atPath: "\(directory)/\(name)"),
            content.count <= Self.byteLimit
        else { return nil }
        return ZoneFile([UInt8](content))
    }
}

extension ZoneDatabase {
    /// Returns the zone that a text names as `TZ`, the link `/etc/localtime` and the file `/etc/timezone` do:
    /// by its name, perhaps behind a colon or with a line end, or by its file's path; nil if the database
    /// does not have it.
    package func zone(in text: String) -> TimeZoneName? {
        var name = text.drop { $0 == ":" }.prefix { !$0.isWhitespace }
        if let folder = name.ranges(of: "zoneinfo/").last { name = name[folder.upperBound...] }
        return TimeZoneName(String(name)).flatMap { has($0) ? $0 : nil }
    }
}
