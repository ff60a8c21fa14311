public import FleetProtocol

/// What a device must not forget, as it happens, and what its air conditioner does meanwhile.
public struct MemoryEntry: Hashable, Sendable {
    /// What happened.
    public enum Cause: Hashable, Sendable {
        /// It used up a sequence.
        case command(Used)
        /// Something other than a command changed it: a hand remote, an app, Climate React.
        case hand
        /// It heard of a higher epoch, and refuses lower ones from now on.
        case epoch
        /// It lost its memory, and begins a new life.
        case reset
        /// Infrared was lost, or got through after that: its air conditioner is at this state.
        case airConditioner(ACState)
    }

    /// The command that used its sequence, and the device's word on it.
    public struct Used: Hashable, Sendable {
        /// The number.
        public let sequence: CommandSequence
        /// The intention.
        public let requestID: RequestID
        /// The word; what it was given on is the state that the device is left at.
        public let verdict: Verdict
    }

    /// The device.
    public let device: DeviceID
    /// The state that it is left at.
    public let reported: DeviceState
    /// The highest controller's epoch it has seen.
    public let epoch: Epoch
    /// What happened.
    public let cause: Cause

    /// What was used; nil when no sequence was.
    public var used: Used? {
        if case .command(let used) = cause { used } else { nil }
    }
}
