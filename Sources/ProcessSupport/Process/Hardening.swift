import CMemory
import CProcess
import Glibc

/// The limits that every program of the fleet sets for itself at its start, since all of them hold tokens or
/// passwords.
public enum Hardening {
    /// The environment variable that lets debuggers attach to a process, when it is `1`. It is for
    /// development, and for tests that inspect processes without root permissions.
    static let traceableVariable = "SENSIBUS_TRACEABLE"

    /// Protects the memory of the process, and makes its new files accessible only to its user.
    ///
    /// The process writes no core file: the limit is 0, and the process is not dumpable, which holds where
    /// the system pipes cores to a program. Other processes of the same user can neither trace it nor read
    /// its memory. New files have no permissions for group and others, regardless of their mode.
    ///
    /// A closed standard input, output or error stays unusable: no file of the process takes its number.
    ///
    /// Call it before other threads begin. Child processes inherit the limit and the mask, but not that the
    /// process is not dumpable.
    ///
    /// - Throws: `system` with the call that failed.
    public static func apply(environment: [String: String]) throws(RuntimeError) {
        holdStandardDescriptors()
        umask(0o077)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else {
            throw .lastError("limit core files of", "the process")
        }
        guard environment[traceableVariable] != "1" else { return }
        guard process_set_dumpable(0) == 0 else { throw .lastError("keep debuggers from", "the process") }
    }

    /// Opens closed standard descriptors for the wrong direction, as glibc does for set-user-ID programs.
    private static func holdStandardDescriptors() {
        let wrong = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        // Each takes the lowest free number, which is its own.
        for (descriptor, direction) in wrong where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", direction)
        }
    }

    /// Keeps the process and its children from gaining privileges by set-user-ID and set-group-ID programs.
    ///
    /// It cannot be undone. It holds for the calling thread, and for the threads and processes that this one
    /// begins, so call it on the main thread before others begin. A process that runs the command of
    /// `--outbox-command` must not call it, and neither must the supervisor above it: many mail programs
    /// need such a bit.
    ///
    /// - Throws: `system` with the call that failed.
    public static func forbidNewPrivileges() throws(RuntimeError) {
        guard process_forbid_new_privileges() == 0 else {
            throw .lastError("forbid new privileges of", "the process")
        }
    }

    /// Whether the system may write the process's memory to a core file, and others of its user may trace it.
    static var isDumpable: Bool { process_is_dumpable() != 0 }
}

/// The limit on open files, sockets and connections of a process (RLIMIT_NOFILE).
public enum DescriptorLimit {
    /// Raises the limit of this process to the maximum that the system allows.
    ///
    /// libzmq 4.3.4 ends a process that accepts a connection and has no descriptor left.
    ///
    /// - Parameter needed: The descriptors that the process needs at least.
    /// - Returns: The limit; `Int.max` for none.
    /// - Throws: `tooFewDescriptors`, or `system` if the limit can neither be read nor changed.
    public static func raise(needing needed: Int) throws(RuntimeError) -> Int {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { throw .lastError("read the limit on", "open files") }
        if limit.rlim_cur != limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            guard setrlimit(kind, &limit) == 0 else { throw .lastError("raise the limit on", "open files") }
        }
        let descriptors = Int(clamping: limit.rlim_cur)
        guard descriptors >= needed else { throw .tooFewDescriptors(limit: descriptors, needed: needed) }
        return descriptors
    }
}

/// The memory limit of a process, beyond which it exits, and is restarted from its files. Other bounds limit
/// the memory that peers can cause. This one guards against bugs in them.
public struct MemoryLimit: Hashable, Sendable {
    public static let allowed = 64...1 << 20
    /// The same, for help texts.
    public static let text = "64M to 1024G"
    /// The default limit: ten times what a controller uses for a million devices.
    public static let standard = MemoryLimit(mebibytes: 2_048)

    let mebibytes: Int

    private init(mebibytes: Int) { self.mebibytes = mebibytes }

    /// Parses a limit, such as `512M` or `2G`.
    public static func named(_ text: String) throws(RuntimeError) -> MemoryLimit {
        let factors = ["M": 1, "G": 1_024]
        guard let factor = factors[text.suffix(1).uppercased()], let number = Int(text.dropLast()),
            1...allowed.upperBound ~= number, allowed ~= number * factor
        else {
            throw .invalidValue(text, of: "memory limit", allowed: "write \(Self.text), such as 512M")
        }
        return MemoryLimit(mebibytes: number * factor)
    }

    /// The text of the limit, as an argument.
    public var argument: String { "\(mebibytes)M" }

    /// Checks that the process does not exceed the limit; returns the memory in use, in MiB.
    public func check() throws(RuntimeError) -> Int {
        let inUse = try Self.mebibytesInUse()
        guard inUse <= mebibytes else { throw .tooMuchMemory(inUse: inUse, limit: mebibytes) }
        return inUse
    }

    /// The resident memory of this process without the pages that it shares or that belong to files: the
    /// system can reclaim unchanged file pages.
    static func mebibytesInUse() throws(RuntimeError) -> Int {
        let path = "/proc/self/statm"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .lastError("open", path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { throw .lastError("read", path) }
        // In pages: the address space, the resident set, and its part that is shared or of files.
        let pages = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ").prefix(3)
            .compactMap { Int($0) }
        guard pages.count == 3 else { throw .system(operation: "understand", path: path, errno: EINVAL) }
        return ((pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))) >> 20
    }
}

/// The scheduling priority of the current thread, as its nice value.
public enum ThreadPriority {
    /// The nice value of a low-priority thread: its weight is 110 where an ordinary thread's is 1,024
    /// (`sched_prio_to_weight` of Linux).
    public static let ofGivingWay: Int32 = 10

    /// Lowers the priority of the current thread permanently. An ordinary thread that wakes preempts it. On a
    /// busy processor it still gets a tenth of an ordinary thread's time. Linux has a nice value for each
    /// thread, unlike POSIX: see sched(7).
    public static func giveWay() {
        let result = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, ofGivingWay)
        precondition(result == 0, "setpriority refuses a thread less than it has: errno \(errno)")
    }

    /// The nice value of the current thread: 0 for an ordinary one, more for a low-priority one.
    public static var niceValue: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
}

/// The policy by which the system schedules a process's threads (sched(7)).
public enum SchedulingPolicy {
    /// Replaces the usual policy by `SCHED_BATCH` for the calling thread, and for the threads and processes
    /// that it begins; another policy, which the user has chosen by chrt(1), stays.
    ///
    /// A thread of this policy that wakes does not interrupt the thread that runs, and may wait for several
    /// milliseconds while other programs use the processors; on an idle processor it runs at once. Call it on
    /// the main thread before others begin.
    public static func useBatch() { replace(SCHED_OTHER, by: SCHED_BATCH) }

    /// Replaces `SCHED_BATCH` by `SCHED_OTHER`, the usual policy, for the calling thread and for the threads
    /// that it begins later. It is for the thread on which every request waits.
    public static func useUsual() { replace(SCHED_BATCH, by: SCHED_OTHER) }

    private static func replace(_ former: Int32, by policy: Int32) {
        guard sched_getscheduler(0) == former else { return }
        var parameters = sched_param(sched_priority: 0)
        _ = sched_setscheduler(0, policy, &parameters)
    }

    /// Whether a process, or thread, has the policy `SCHED_BATCH`; 0 stands for the calling thread.
    public static func isBatch(_ process: Int32) -> Bool { sched_getscheduler(process) == SCHED_BATCH }
}

/// Settings of the C library's memory allocator.
public enum Allocator {
    /// The size from which a freed block returns to the system at once (`M_MMAP_THRESHOLD`).
    private static let largeBytes: Int32 = 256 * 1_024

    /// Reduces the memory of a process with several threads; call it before other threads begin.
    ///
    /// The C library allocates from one arena (malloc(3)) for each thread, up to eight for each processor, so
    /// that threads do not contend. Where one thread frees the blocks that another allocates, each arena
    /// grows to its own peak, and other arenas cannot use its free memory. With this setting all threads
    /// share one arena, and large freed blocks return to the system at once (mallopt(3)).
    ///
    /// - Returns: Whether the allocator accepted both settings.
    @discardableResult
    public static func beFrugal() -> Bool {
        mallopt(M_ARENA_MAX, 1) == 1 && mallopt(M_MMAP_THRESHOLD, largeBytes) == 1
    }

    /// Returns free memory that the allocator caches to the system (malloc_trim(3)). It takes some
    /// milliseconds for each 100 MB; other threads may block in the allocator during that time.
    public static func giveBack() { malloc_trim(0) }
}
