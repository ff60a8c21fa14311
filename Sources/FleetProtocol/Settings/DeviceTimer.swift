public import Stepping

/// What a device sets once, when its time has come; then it is gone.
///
/// It is due by the clock that people read, for it outlives the process that simulates the device.
public struct DeviceTimer: Hashable, Sendable {
    /// What is set; what it does not name stays as it is.
    public let change: ACStateChange
    /// When.
    public let due: WallTime
    /// When it was set; nil where nobody noted that.
    public let createdAt: WallTime?

    /// That change at that time.
    public init(change: ACStateChange, due: WallTime, createdAt: WallTime? = nil) {
        self.change = change
        self.due = due
        self.createdAt = createdAt
    }
}
