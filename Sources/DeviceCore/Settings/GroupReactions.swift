import FleetProtocol

/// Climate React as a scenario's groups have it: by the rule of that which users set, a byte a device where a
/// group has it at all.
struct GroupReactions: Sendable {
    /// By group; nil for one whose devices are set to nothing.
    private let reacts: [ClimateReact?]
    /// By slot: where its room was at the last measurement that counted, one of ``ClimateReact/Zone``, plus
    /// 1; 0 before the first.
    private var zones: [UInt8]

    /// What the devices of a population are set to.
    init(of groups: [Scenario.Group], devices: Int) {
        reacts = groups.map { $0.climateReact.map(ClimateReact.init(_:)) }
        zones = reacts.contains { $0 != nil } ? [UInt8](repeating: 0, count: devices) : []
    }

    /// What is wanted set after a measurement, which is the first in its zone; nil for nothing.
    mutating func reaction(of slot: Int, in group: Int, to measurements: Measurements) -> ACStateChange? {
        guard !zones.isEmpty, let react = reacts[group] else { return nil }
        let zone = react.zone(of: measurements)
        guard zones[slot] != zone.rawValue + 1 else { return nil }
        zones[slot] = zone.rawValue + 1
        return react.change(in: zone)
    }

    /// A user's Climate React has taken the place of the group's, which begins anew should that end.
    mutating func forget(_ slot: Int) {
        if !zones.isEmpty { zones[slot] = 0 }
    }
}
