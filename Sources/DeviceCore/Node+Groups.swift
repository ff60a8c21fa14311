import FleetProtocol

/// What devices have of the groups of their population.
extension Node {
    /// What a device is sold as.
    func model(of slot: Int) -> ProductModel {
        configuration.scenario.population.groups[group(of: slot)].model
    }

    /// What the remote of a device's air conditioner sends.
    func remote(of slot: Int) -> RemoteKind {
        configuration.scenario.population.groups[group(of: slot)].remote
    }

    /// The index of the group that a device is in.
    func group(of slot: Int) -> Int { names.group(of: configuration.firstIndex + UInt64(slot)) }
}
