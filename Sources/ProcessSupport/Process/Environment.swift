import FoundationEssentials

/// The process's environment.
public enum Environment {
    /// Every variable with its value, as they are now.
    public static var current: [String: String] { ProcessInfo.processInfo.environment }
}
