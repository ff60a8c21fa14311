public import FleetProtocol

/// What a device must not forget: a sequence it has used, or a change nobody commanded.
public struct MemoryEntry: Hashable, Sendable {
    /// The command that used its sequence, and the device's word on it.
    public struct Used: Hashable, Sendable {
        /// The number.
        public let sequence: CommandSequence
        /// The intention.
        public let requestID: RequestID
        /// The word.
        public let verdict: Verdict
    }

    /// The device.
    public let device: DeviceID
    /// The state that it is left at.
    public let reported: DeviceState
    /// The highest controller's epoch it has seen.
    public let epoch: Epoch
    /// What was used; nil for a change by hand.
    public let used: Used?
}
