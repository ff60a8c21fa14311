import Glibc

/// How many files, sockets and connections a process may have open (RLIMIT_NOFILE).
public enum DescriptorLimit {
    /// Raises the limit of this process to the most that the system allows it.
    ///
    /// libzmq 4.3.4 ends a process that accepts a connection and has no descriptor left.
    ///
    /// - Parameter needed: Descriptors without which the process cannot do its work.
    /// - Returns: The limit; `Int.max` for none.
    /// - Throws: `tooFewDescriptors`, or `system` when the limit can neither be read nor changed.
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
