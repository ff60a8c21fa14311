import FleetProtocol

/// The properties that a node's devices have from their groups; they never change.
struct NodePopulation: Sendable {
    private let groups: [Scenario.Group]
    private let names: DeviceNames
    private let capabilitiesByGroup: [Capabilities]
    private let firstIndex: UInt64

    /// The properties of the devices of a configuration.
    init(of configuration: NodeConfiguration) {
        groups = configuration.scenario.population.groups
        names = DeviceNames(of: configuration.scenario.population)
        capabilitiesByGroup = groups.map(\.capabilities)
        firstIndex = configuration.firstIndex
    }

    var sentGroups: [DeviceGroup] { groups.map(\.sent) }

    func name(of slot: Int) -> String { names.name(of: firstIndex + UInt64(slot)) }

    /// The index of a device's group, below ``Limits/nodeGroups``.
    func groupIndex(of slot: Int) -> Int { names.group(of: firstIndex + UInt64(slot)) }

    func group(of slot: Int) -> Scenario.Group { groups[groupIndex(of: slot)] }

    /// The values that a device can be set to.
    func capabilities(of slot: Int) -> Capabilities { capabilitiesByGroup[groupIndex(of: slot)] }

    func model(of slot: Int) -> ProductModel { groups[groupIndex(of: slot)].model }
}

extension Scenario.Group {
    fileprivate var sent: DeviceGroup {
        DeviceGroup(
            model: model, site: site, firmware: firmware ?? model.usualFirmware, remote: remote,
            airConditioner: airConditioner,
            climateReact: climateReact.map(FleetProtocol.ClimateReact.init(_:)))
    }
}
