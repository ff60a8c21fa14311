import Glibc

/// How much of the machine there is for a fleet.
struct MachineLimits: Equatable, Sendable {
    /// Files that one process may have open; nil for no limit.
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
        return limit.rlim_cur == .max ? nil : UInt64(limit.rlim_cur)
    }

    /// The smaller of what the machine has free and what a container may have at all.
    private static func availableMemory() -> UInt64? {
        let line = SystemFile.text(of: "/proc/meminfo").split(separator: "\n").first {
            $0.hasPrefix("MemAvailable:")
        }
        let kilobytes = line.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { UInt64($0) }
        // It says `max` where there is no bound, and is not there outside of a container.
        let group = UInt64(SystemFile.text(of: "/sys/fs/cgroup/memory.max").filter(\.isNumber))
        return [kilobytes.map { $0 << 10 }, group].compactMap { $0 }.min()
    }
}
