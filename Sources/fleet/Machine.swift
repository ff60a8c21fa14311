import FleetProtocol
import Foundation
import Glibc

/// How much of the machine there is for a fleet.
struct MachineLimits: Equatable, Sendable {
    /// Files that one process may have open once it has raised its limit; nil for no limit.
    var openFiles: UInt64?
    /// Bytes of memory that are free, or soon are; nil when the system does not say.
    var memoryBytes: UInt64?

    /// What holds now, in this process and its control group.
    static func current() -> MachineLimits {
        MachineLimits(openFiles: openFilesLimit(), memoryBytes: availableMemory())
    }

    private static func openFilesLimit() -> UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_max == .max ? nil : UInt64(limit.rlim_max)
    }

    /// The smaller of what the machine has free and what a container may yet have.
    private static func availableMemory() -> UInt64? {
        let kilobytes = number(after: "MemAvailable:", in: SystemFile.text(of: "/proc/meminfo"))
        let group = availableMemory(
            maximum: SystemFile.text(of: "/sys/fs/cgroup/memory.max"),
            current: SystemFile.text(of: "/sys/fs/cgroup/memory.current"),
            statistics: SystemFile.text(of: "/sys/fs/cgroup/memory.stat"))
        return [kilobytes.map { $0 << 10 }, group].compactMap { $0 }.min()
    }

    /// Bytes that a control group may yet have, by the words of its files; nil for one without a bound.
    ///
    /// Pages of files are counted as free: the system takes them back.
    static func availableMemory(maximum: String, current: String, statistics: String) -> UInt64? {
        // It says `max` where there is no bound, and is not there outside of a container.
        guard let maximum = UInt64(maximum.filter(\.isNumber)) else { return nil }
        let pages = ["active_file", "inactive_file"].compactMap { number(after: $0, in: statistics) }
        let used = (UInt64(current.filter(\.isNumber)) ?? 0).subtracting(pages.reduce(0, +))
        return maximum.subtracting(used)
    }

    /// The number on the line that begins with a word.
    private static func number(after word: String, in text: String) -> UInt64? {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count > 1, parts[0] == word { return UInt64(parts[1]) }
        }
        return nil
    }
}

extension UInt64 {
    /// The difference; 0 where the other is larger.
    fileprivate func subtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

/// A small file in which the system tells of itself, such as those of `/proc`.
enum SystemFile {
    /// Bytes read of one.
    static let byteLimit = 1 << 20

    /// What it says; empty when it cannot be read.
    static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while content.count < byteLimit {
            let count = read(descriptor, &block, block.count)
            guard count > 0 else { break }
            content += block[..<count]
        }
        return String(decoding: content, as: UTF8.self)
    }
}

extension TimeZoneName {
    /// The zone that this machine's clock shows; UTC where it has no name.
    static var ofThisMachine: TimeZoneName { TimeZoneName(TimeZone.current.identifier) ?? .utc }
}
