/// A fault of a device that lasts, as its node has it right now.
public struct ActiveFault: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// The fault; one that lasts.
    public let fault: Fault
    /// How much longer it lasts.
    public let remaining: Duration
    /// How late a slow device is; zero for any other fault.
    public let delay: Duration

    /// The fault of those values.
    public init(device: DeviceID, fault: Fault, remaining: Duration, delay: Duration = .zero) {
        self.device = device
        self.fault = fault
        self.remaining = remaining
        self.delay = delay
    }
}

/// The active faults of a node's devices, or of an account's.
public struct FaultList: Hashable, Sendable {
    /// ``Limits/listedFaults`` at most.
    public var faults: [ActiveFault]
    /// How many there are, those that are not listed included.
    public var total: UInt32
    /// Nodes that have not answered in time; 0 in the list of a node.
    public var silentNodes: UInt32

    /// The list of those values.
    public init(faults: [ActiveFault] = [], total: UInt32 = 0, silentNodes: UInt32 = 0) {
        self.faults = faults
        self.total = total
        self.silentNodes = silentNodes
    }

    /// Adds the list of another node, as far as there is room.
    public mutating func add(_ other: FaultList) {
        faults += other.faults.prefix(Limits.listedFaults - faults.count)
        let (sum, isTooMuch) = total.addingReportingOverflow(other.total)
        total = isTooMuch ? .max : sum
    }
}
