/// What can be made to go wrong with a device.
public enum Fault: UInt8, CaseIterable, Hashable, Sendable {
    /// It loses its connection.
    case offline
    /// It takes commands and does not carry them out.
    case hang
    /// A hand remote switches it.
    case flip
    /// It forgets everything, and begins a new life as it left the factory.
    case reset
    /// It carries out commands late.
    case slow
    /// The node that hosts it dies as one that is killed.
    case crash
    /// It starts again: it is away for a while, and has its memory when it is back.
    case reboot

    /// The fault of that name; nil when there is none.
    public init?(name: String) {
        guard let fault = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = fault
    }

    /// Its name, in lower case.
    public var name: String { "\(self)" }

    /// Whether it lasts; a flip, a reset and a crash are over at once.
    public var hasDuration: Bool {
        switch self {
        case .offline, .hang, .slow, .reboot: true
        case .flip, .reset, .crash: false
        }
    }

    /// Whether it says how much later each command is carried out.
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

/// What the nodes of an account have made of an operator's order.
public struct OrderReport: Hashable, Sendable {
    /// Devices that it concerned.
    public var devices: UInt32
    /// Nodes that have carried it out.
    public var nodes: UInt32
    /// Nodes that have not answered in time: they may have carried it out or not.
    public var silentNodes: UInt32
    /// Nodes that could not carry it out, and go on as before: they cannot read a scenario, or devices that
    /// are to go are not their last.
    public var refusingNodes: UInt32
    /// Of those that carried it out, nodes whose devices are not the scenario's.
    public var keptPopulations: UInt32

    /// The report of those numbers.
    public init(
        devices: UInt32 = 0, nodes: UInt32 = 0, silentNodes: UInt32 = 0, refusingNodes: UInt32 = 0,
        keptPopulations: UInt32 = 0
    ) {
        self.devices = devices
        self.nodes = nodes
        self.silentNodes = silentNodes
        self.refusingNodes = refusingNodes
        self.keptPopulations = keptPopulations
    }
}

/// What a node has to say of an order, besides that it has carried it out.
public enum OrderRemark: UInt8, CaseIterable, Hashable, Sendable {
    /// It was not carried out: the scenario cannot be read.
    case unreadable
    /// The scenario has other devices than the node was started with; they stay as they are.
    case populationKept
    /// It was not carried out: the devices are not the node's last.
    case notLast
}
