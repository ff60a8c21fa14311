/// A fault that can be injected into a device.
public enum Fault: UInt8, CaseIterable, Hashable, Sendable {
    /// It loses its connection.
    case offline
    /// It receives commands and does not apply them.
    case hang
    /// A hand remote toggles it.
    case flip
    /// It loses its memory and restarts with factory settings and a new incarnation.
    case reset
    /// It applies commands late.
    case slow
    /// Its node process ends without cleanup, as if killed.
    case crash
    /// It restarts: it is offline for a while and preserves its memory.
    case reboot

    /// Creates the fault with that name; nil if the name is unknown.
    public init?(name: String) {
        guard let fault = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = fault
    }

    /// Its name, in lower case.
    public var name: String { "\(self)" }

    /// Whether the fault has a duration; a flip, a reset and a crash are instantaneous.
    public var hasDuration: Bool {
        switch self {
        case .offline, .hang, .slow, .reboot: true
        case .flip, .reset, .crash: false
        }
    }

    /// Whether the fault has a delay, which is added to each command.
    public var hasDelay: Bool { self == .slow }
}

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

    /// A fault with the given values.
    public init(device: DeviceID, fault: Fault, remaining: Duration, delay: Duration = .zero) {
        (self.device, self.fault, self.remaining, self.delay) = (device, fault, remaining, delay)
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

    /// A list with the given values.
    public init(faults: [ActiveFault] = [], total: UInt32 = 0, silentNodes: UInt32 = 0) {
        (self.faults, self.total, self.silentNodes) = (faults, total, silentNodes)
    }

    /// Adds the list of another node, up to the limit.
    public mutating func add(_ other: FaultList) {
        faults += other.faults.prefix(Limits.listedFaults - faults.count)
        let (sum, isTooMuch) = total.addingReportingOverflow(other.total)
        total = isTooMuch ? .max : sum
    }
}

/// The combined result of an operator's order to the nodes of an account.
public struct OrderReport: Hashable, Sendable {
    /// The number of devices that the order affected.
    public var devices: UInt32
    /// The number of nodes that carried it out.
    public var nodes: UInt32
    /// The number of nodes without a reply in time, which may have carried it out or not.
    public var silentNodes: UInt32
    /// The number of nodes that refused the order: the scenario is unreadable, or the devices to remove are
    /// not their last ones; they changed nothing.
    public var refusingNodes: UInt32
    /// The number of nodes that carried it out with a device population other than the scenario's.
    public var unchangedPopulations: UInt32

    /// A report with the given values.
    public init(
        devices: UInt32 = 0, nodes: UInt32 = 0, silentNodes: UInt32 = 0, refusingNodes: UInt32 = 0,
        unchangedPopulations: UInt32 = 0
    ) {
        (self.devices, self.nodes, self.silentNodes) = (devices, nodes, silentNodes)
        (self.refusingNodes, self.unchangedPopulations) = (refusingNodes, unchangedPopulations)
    }
}

/// A note that a node adds to its reply to an order.
public enum OrderRemark: UInt8, CaseIterable, Hashable, Sendable {
    /// The node did not carry out the order, because it cannot read the scenario.
    case unreadable
    /// The scenario's device population differs from the node's; the node keeps its devices.
    case populationUnchanged
    /// The node did not carry out the order, because the devices to remove are not its last ones.
    case notLast
}
