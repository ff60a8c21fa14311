import FleetProtocol
import Glibc

/// The resources of the machine that a fleet may use.
struct MachineLimits: Equatable, Sendable {
    /// Files that one process may open: its hard limit; nil for no limit.
    var openFiles: UInt64?
    /// Bytes of free or reclaimable memory; nil when the system does not report them.
    var memoryBytes: UInt64?

    static func current() -> MachineLimits {
        MachineLimits(openFiles: openFilesLimit(), memoryBytes: availableMemory())
    }

    private static func openFilesLimit() -> UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_max == .max ? nil : UInt64(limit.rlim_max)
    }

    /// Returns the smaller of the machine's available memory and the rest of the control group's limit.
    private static func availableMemory() -> UInt64? {
        let kilobytes = number(after: "MemAvailable:", in: SystemFile.text(of: "/proc/meminfo"))
        let group = availableMemory(
            maximum: SystemFile.text(of: "/sys/fs/cgroup/memory.max"),
            current: SystemFile.text(of: "/sys/fs/cgroup/memory.current"),
            statistics: SystemFile.text(of: "/sys/fs/cgroup/memory.stat"))
        return [kilobytes.map { $0 << 10 }, group].compactMap { $0 }.min()
    }

    /// Returns the rest of a control group's limit, from the texts of its files; nil for one without a limit.
    /// Pages of the file cache count as free, because the kernel reclaims them.
    static func availableMemory(maximum: String, current: String, statistics: String) -> UInt64? {
        // `memory.max` contains `max` in a group without a limit, and does not exist outside a container.
        guard let maximum = UInt64(maximum.filter(\.isNumber)) else { return nil }
        let pages = ["active_file", "inactive_file"].compactMap { number(after: $0, in: statistics) }
        let used = (UInt64(current.filter(\.isNumber)) ?? 0).subtracting(pages.reduce(0, +))
        return maximum.subtracting(used)
    }

    /// Returns the number that follows a word at the beginning of a line.
    private static func number(after word: String, in text: String) -> UInt64? {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count > 1, parts[0] == word { return UInt64(parts[1]) }
        }
        return nil
    }
}

extension UInt64 {
    /// Returns the difference; 0 where the other is larger.
    fileprivate func subtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

/// A small file that the kernel generates, such as those in `/proc`.
enum SystemFile {
    /// The number of bytes after which reading stops.
    static let byteLimit = 1 << 20

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
