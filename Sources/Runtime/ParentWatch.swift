import Glibc

/// Tells a supervised process when its supervisor has gone, for then it has to end too.
public struct ParentWatch: Sendable {
    /// The supervisor's process id; nil when nobody supervises.
    public let expectedParent: Int32?

    /// A watch for the supervisor of that process id; one for nil never tells anything.
    public init(expectedParent: Int32?) {
        self.expectedParent = expectedParent
    }

    /// Whether the supervisor has gone: the process has another parent now.
    public var isOrphaned: Bool {
        guard let expectedParent else { return false }
        return getppid() != expectedParent
    }
}
