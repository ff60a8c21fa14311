public import FleetProtocol
public import Stepping

/// Which devices a node hosts, for whom, and what they go through.
public struct NodeConfiguration: Sendable {
    /// The node's name.
    public let name: NodeName
    /// Who owns its devices.
    public let account: AccountID
    /// How many devices, 1 to ``Limits/nodeDevices``.
    public let devices: Int
    /// The index, over the whole fleet, of its first device.
    public let firstIndex: UInt64
    /// The fleet's seed: ids, names and events follow from it.
    public let seed: UInt64
    /// What happens by itself.
    public internal(set) var scenario: Scenario
    /// How far east of UTC clocks are, for schedules.
    public let zones: any ZoneOffsets
    /// The proof that it may host them; nil in tests of the cores.
    public var grant: NodeGrant?
    /// The mistake that a simulation plants.
    public var planted = Planting()

    /// The configuration of those values.
    public init(
        name: NodeName, account: AccountID, devices: Int, firstIndex: UInt64 = 0, seed: UInt64 = 1,
        scenario: Scenario = .quiet, zones: any ZoneOffsets = UniversalTime()
    ) {
        precondition(
            (1...Limits.nodeDevices).contains(devices), "a node hosts 1 to \(Limits.nodeDevices) devices")
        self.name = name
        self.account = account
        self.devices = devices
        self.firstIndex = firstIndex
        self.seed = seed
        self.scenario = scenario
        self.zones = zones
    }

    /// The devices by their indices.
    public var range: DeviceRange {
        DeviceRange(seed: seed, firstIndex: firstIndex, count: UInt32(devices))
    }
}
