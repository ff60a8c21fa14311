public import FleetProtocol

/// What a device must not forget, as it happens, and what its air conditioner does meanwhile.
public struct MemoryEntry: Hashable, Sendable {
    /// What happened.
    public enum Cause: Hashable, Sendable {
        /// It used up a sequence.
        case command(Used)
        /// Something other than a command changed it: ``MemoryEntry/changedBy`` says what.
        case change
        /// It heard of a higher epoch, and refuses lower ones from now on.
        case epoch
        /// It lost its memory, and begins a new life.
        case reset
        /// What it counts was noted anew: ``MemoryEntry/settings`` has it. Its version is as it was.
        case settings
        /// Infrared was lost, or got through after that: ``MemoryEntry/airConditioner`` says where it is.
        case airConditioner
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
    /// What last changed the state, by this or before it.
    public let changedBy: ChangeCause
    /// What its air conditioner is at; nil where it is not about that.
    public let airConditioner: ACState?
    /// What it is set to do by itself, empty for nothing; nil where that is as it was.
    public let settings: DeviceSettings?

    /// The entry of those values.
    init(
        device: DeviceID, reported: DeviceState, epoch: Epoch, cause: Cause,
        changedBy: ChangeCause = .request, airConditioner: ACState? = nil, settings: DeviceSettings? = nil
    ) {
        self.device = device
        self.reported = reported
        self.epoch = epoch
        self.cause = cause
        self.changedBy = changedBy
        self.airConditioner = airConditioner
        self.settings = settings
    }

    /// What was used; nil when no sequence was.
    public var used: Used? {
        if case .command(let used) = cause { used } else { nil }
    }
}
