import FleetProtocol

/// What devices have of the groups of their population.
extension Node {
    /// What a device is sold as.
    func model(of slot: Int) -> ProductModel {
        configuration.scenario.population.groups[group(of: slot)].model
    }

    /// The state of a new device.
    func newbornState(of slot: Int) -> ACState {
        .asBuilt(configuration.scenario.population.groups[group(of: slot)])
    }

    /// What the remote of a device's air conditioner sends.
    func remote(of slot: Int) -> RemoteKind {
        configuration.scenario.population.groups[group(of: slot)].remote
    }

    /// The groups as the controller is told of them.
    var groups: [DeviceGroup] { configuration.scenario.population.groups.map(\.told) }

    /// The index of the group that a device is in, below ``Limits/nodeGroups``.
    func group(of slot: Int) -> Int { names.group(of: configuration.firstIndex + UInt64(slot)) }
}

extension Scenario.Group {
    /// What is told of it.
    fileprivate var told: DeviceGroup {
        DeviceGroup(
            model: model, site: site, firmware: firmware ?? model.usualFirmware ?? "", remote: remote,
            airConditioner: airConditioner,
            climateReact: climateReact.map(FleetProtocol.ClimateReact.init(_:)))
    }
}
