import Glibc

public enum ProcessImage {
    /// Replaces the process by a fresh run of its program with the same arguments: its ID stays, its memory
    /// and its descriptors do not. It returns only if that failed, with the reason.
    public static func restart() -> RuntimeError {
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        return .lastError("execv", CommandLine.arguments[0])
    }
}
