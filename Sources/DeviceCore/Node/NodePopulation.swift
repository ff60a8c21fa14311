public import FleetProtocol

/// The properties that a node's devices have from their groups; they never change.
struct NodePopulation: Sendable {
    private let groups: [Scenario.Group]
    private let names: DeviceNames
    /// The pods of a file, by the index in the whole fleet.
    private let pods: [InitialPod]
    /// By kind of device, where each pod of a file is a kind, and after them each group: the place of its
    /// group, and its capabilities.
    private let kinds: [(group: Int, capabilities: Capabilities)]
    private let firstIndex: UInt64
    /// Whether a device begins with settings or the state of a pod.
    let hasBegun: Bool

    init(of configuration: NodeConfiguration) {
        groups = configuration.scenario.population.groups
        names = DeviceNames(of: configuration.scenario.population)
        pods = configuration.scenario.population.pods
        let sent = groups.map(\.sent)
        kinds =
            pods.map { (sent.firstIndex(of: $0.group) ?? 0, $0.capabilities) }
            + groups.enumerated().map { ($0, $1.capabilities) }
        firstIndex = configuration.firstIndex
        hasBegun = !pods.isEmpty || groups.contains { $0.settings != Scenario.Group.Settings() }
    }

    var sentGroups: [DeviceGroup] { groups.map(\.sent) }

    func name(of slot: Int) -> String { pod(of: slot)?.name ?? names.name(of: firstIndex + UInt64(slot)) }

    /// The index of a device's group, below ``Limits/nodeGroups``.
    func groupIndex(of slot: Int) -> Int { kinds[kind(of: slot)].group }

    func group(of slot: Int) -> Scenario.Group { groups[groupIndex(of: slot)] }
    func capabilities(of slot: Int) -> Capabilities { kinds[kind(of: slot)].capabilities }

    /// The settings of a device that begins at a time, with a clock of that speed.
    func settings(of slot: Int, _ device: DeviceID, at now: WallTime, speed: Double) -> DeviceSettings {
        pod(of: slot)?.settings(at: now, speed: speed) ?? group(of: slot).settings(of: device, at: now)
    }

    /// The pod of a file that a device is; nil for other devices.
    func pod(of slot: Int) -> InitialPod? {
        let kind = kind(of: slot)
        return kind < pods.count ? pods[kind] : nil
    }

    private func kind(of slot: Int) -> Int {
        guard kinds.count > 1 else { return 0 }
        let index = firstIndex + UInt64(slot)
        return index < UInt64(pods.count) ? Int(index) : pods.count + names.group(of: index)
    }

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

/// The names of devices: those of their rooms, `Reception` and `Reception (2)`; or, if a scenario names no
/// rooms, typical ones, such as `Bedroom 7`.
struct DeviceNames: Sendable {
    private static let usualRooms = [
        "Bedroom", "Living Room", "Kitchen", "Office", "Nursery", "Studio", "Dining Room", "Hall", "Attic",
        "Guest Room",
    ]
    /// The maximum number of bytes in a room's label; a number of up to seven digits may follow it.
    private static let labelBytes = Limits.nameBytes - 10

    private let layout: Scenario.Layout
    /// The label of each room of each group.
    private let labels: [[String]]

    init(of population: Scenario.Population) {
        layout = Scenario.Layout(of: population)
        var uses: [String: Int] = [:]
        for group in population.groups { for room in group.rooms { uses[room, default: 0] += 1 } }
        labels = population.groups.enumerated().map { place, group in
            group.rooms.map { room in
                guard uses[room, default: 0] > 1 else { return room }
                // Another group has a room with the same name.
                let label = "\(group.site) \(room)"
                let isAlone = !population.groups.enumerated().contains {
                    $0 != place && $1.site == group.site && $1.rooms.contains(room)
                }
                let isFit = isAlone && label.utf8.count <= Self.labelBytes && uses[label] == nil
                return isFit ? label : "\(room) · \(place + 1)"
            }
        }
    }

    func group(of index: UInt64) -> Int { layout.place(of: Int(index)).group }

    func name(of index: UInt64) -> String {
        let place = layout.place(of: Int(index))
        guard let room = place.room else {
            let count = UInt64(Self.usualRooms.count)
            return "\(Self.usualRooms[Int(index % count)]) \(index / count + 1)"
        }
        let label = labels[place.group][room]
        return place.ordinal == 0 ? label : "\(label) (\(place.ordinal + 1))"
    }
}

/// The changes that users have made to a node's devices.
public struct DeviceChanges: Equatable, Sendable {
    /// The names that differ from those of the population.
    public var names: [DeviceID: String]
    /// The devices that the node does not host, although they are in its range.
    public var removed: Set<DeviceID>

    /// The given changes; none by default.
    public init(names: [DeviceID: String] = [:], removed: Set<DeviceID> = []) {
        (self.names, self.removed) = (names, removed)
    }
}
