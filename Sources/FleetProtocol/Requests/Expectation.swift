/// The state that a client saw: its request holds only while the device is still there.
public struct Expectation: Hashable, Sendable {
    /// The life of the device's memory in which the version counts.
    public let incarnation: Incarnation
    /// The version seen.
    public let version: Version

    /// That version of that incarnation.
    public init(incarnation: Incarnation, version: Version) {
        self.incarnation = incarnation
        self.version = version
    }
}
