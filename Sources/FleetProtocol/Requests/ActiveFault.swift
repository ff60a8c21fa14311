/// An active fault of a device.
public struct ActiveFault: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// The fault; never one without a duration.
    public let fault: Fault
    /// The time until it ends.
    public let remaining: Duration
    /// The delay of a slow device; zero for any other fault.
    public let delay: Duration

    /// A fault of those values.
    public init(device: DeviceID, fault: Fault, remaining: Duration, delay: Duration = .zero) {
        self.device = device
        self.fault = fault
        self.remaining = remaining
        self.delay = delay
    }
}

/// The active faults of a node's devices, or of an account's.
public struct FaultList: Hashable, Sendable {
    /// The first faults, at most ``Limits/listedFaults``.
    public var faults: [ActiveFault]
    /// The number of all active faults, including those that are not listed.
    public var total: UInt32
    /// The number of nodes that have not answered in time; 0 in the list of a node.
    public var silentNodes: UInt32

    /// A list of those values.
    public init(faults: [ActiveFault] = [], total: UInt32 = 0, silentNodes: UInt32 = 0) {
        self.faults = faults
        self.total = total
        self.silentNodes = silentNodes
    }

    /// Adds the list of another node, up to the limit.
    public mutating func add(_ other: FaultList) {
        faults += other.faults.prefix(Limits.listedFaults - faults.count)
        let (sum, isTooMuch) = total.addingReportingOverflow(other.total)
        total = isTooMuch ? .max : sum
    }
}
