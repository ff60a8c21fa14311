import FoundationEssentials

/// The process's environment.
public enum Environment {
    /// The current variables with their values.
    public static var current: [String: String] { ProcessInfo.processInfo.environment }
}
