import Glibc

public enum ProcessImage {
    /// Replaces the process by a fresh run of its program with the same arguments: its ID stays, its memory
    /// and its descriptors do not.
    ///
    /// - Returns: Why that failed; otherwise it does not return.
    public static func restart() -> RuntimeError {
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        return .lastError("execv", CommandLine.arguments[0])
    }
}
