package import FleetProtocol
import FoundationEssentials
import Synchronization

/// The time zones of the IANA Time Zone Database on this machine. Only the database's own names and links
/// count, in the database's spelling: abbreviations such as `BST` mean different zones to different people.
package final class ZoneDatabase: Sendable {
    /// Other files in the directory of the database: copies of all zones, some with leap seconds,
    /// and copies of single zones.
    private static let otherFiles: Set<Substring> = ["posix", "right", "posixrules", "localtime", "Factory"]
    /// More than any zone needs: those of version 2025b have up to 3,664 bytes.
    private static let byteLimit = 1 << 18

    package let directory: String
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

/// The UTC offsets of one time zone, from a file of the tz database (TZif, RFC 9636).
struct ZoneFile: Equatable, Sendable {
    /// The times of the changes, in seconds since 1970, ascending.
    private let changes: [Int64]
    /// The seconds east of UTC from each change on.
    private let offsets: [Int64]
    /// The seconds east of UTC before the first change.
    private let firstOffset: Int64
    /// What holds after the last change; nil in a file of version 1.
    private let rule: ZoneRule?

    /// Reads a file's bytes; nil if they do not have the form of the RFC. The second block of version 2 and
    /// later repeats the first one's changes with more bits, so only it counts.
    init?(_ bytes: [UInt8]) {
        guard let first = Block(bytes, at: 0, timeSize: 4) else { return nil }
        let block = first.version == 0 ? first : Block(bytes, at: first.end, timeSize: 8)
        guard let block, let types = block.types(of: bytes), let firstOffset = types.first else { return nil }
        changes = block.times(of: bytes)
        let indexes = block.indexes(of: bytes)
        guard indexes.allSatisfy({ Int($0) < types.count }), zip(changes, changes.dropFirst()).allSatisfy(<)
        else { return nil }
        offsets = indexes.map { types[Int($0)] }
        self.firstOffset = firstOffset
        guard first.version != 0 else {
            rule = nil
            return
        }
        let newline = UInt8(ascii: "\n")
        let footer = bytes[block.end...]
        guard footer.first == newline, let end = footer.dropFirst().firstIndex(of: newline) else {
            return nil
        }
        let text = footer[(block.end + 1)..<end]
        rule = ZoneRule(text)
        if rule == nil, !text.isEmpty { return nil }
    }

    /// Returns the seconds by which the zone's clocks are ahead of UTC at a time.
    func secondsEast(at unixSeconds: Int64) -> Int64 {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= unixSeconds { low = middle + 1 } else { high = middle }
        }
        if low == changes.count, let rule { return rule.secondsEast(at: unixSeconds) }
        return low == 0 ? firstOffset : offsets[low - 1]
    }
}

/// The places of a data block, from its header.
private struct Block {
    private static let headerBytes = 44
    /// What an offset can be: a day and a bit more in each direction.
    private static let possibleOffsets: ClosedRange<Int64> = -89_999...93_599

    let version: UInt8
    let end: Int
    private let timeSize: Int
    private let timeCount: Int
    private let typeCount: Int
    private let data: Int

    /// Nil if the bytes have no such block at the place, or are too few for it.
    init?(_ bytes: [UInt8], at start: Int, timeSize: Int) {
        guard bytes.count >= start + Self.headerBytes, bytes[start..<start + 4].elementsEqual("TZif".utf8)
        else { return nil }
        let counts = (0..<6).map { Int(bytes.bigEndian(at: start + 20 + $0 * 4, size: 4)) }
        (version, self.timeSize, data) = (bytes[start + 4], timeSize, start + Self.headerBytes)
        (timeCount, typeCount) = (counts[3], counts[4])
        let (universal, standard, leaps, characters) = (counts[0], counts[1], counts[2], counts[5])
        end =
            data + timeCount * (timeSize + 1) + typeCount * 6 + characters + leaps * (timeSize + 4)
            + standard + universal
        guard end <= bytes.count else { return nil }
    }

    func times(of bytes: [UInt8]) -> [Int64] {
        (0..<timeCount).map { place in
            let number = bytes.bigEndian(at: data + place * timeSize, size: timeSize)
            return timeSize == 4 ? Int64(Int32(truncatingIfNeeded: number)) : Int64(bitPattern: number)
        }
    }

    func indexes(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes[(data + timeCount * timeSize)..<(data + timeCount * (timeSize + 1))]
    }

    /// The offsets of the types of local time; nil if one is impossible.
    func types(of bytes: [UInt8]) -> [Int64]? {
        let start = data + timeCount * (timeSize + 1)
        let offsets = (0..<typeCount).map { place in
            Int64(Int32(truncatingIfNeeded: bytes.bigEndian(at: start + place * 6, size: 4)))
        }
        return offsets.allSatisfy(Self.possibleOffsets.contains) ? offsets : nil
    }
}

extension [UInt8] {
    fileprivate func bigEndian(at start: Int, size: Int) -> UInt64 {
        self[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
