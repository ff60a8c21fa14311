import FleetProtocol

/// What devices are called: after their rooms, `Reception` and `Reception (2)`; where a scenario names none,
/// after such as people have, `Bedroom 7`.
struct DeviceNames: Sendable {
    private static let usualRooms = [
        "Bedroom", "Living Room", "Kitchen", "Office", "Nursery", "Studio", "Dining Room", "Hall", "Attic",
        "Guest Room",
    ]
    /// Bytes of a room's label; a number of up to seven digits may follow it.
    private static let labelBytes = Limits.nameBytes - 10

    private let layout: Scenario.Layout
    /// What each room of each group is called.
    private let labels: [[String]]

    /// The names in a population.
    init(of population: Scenario.Population) {
        layout = Scenario.Layout(of: population)
        var uses: [String: Int] = [:]
        for group in population.groups { for room in group.rooms { uses[room, default: 0] += 1 } }
        labels = population.groups.enumerated().map { place, group in
            group.rooms.map { room in
                guard uses[room, default: 0] > 1 else { return room }
                // Another group has a room of that name.
                let label = "\(group.site) \(room)"
                let isAlone = !population.groups.enumerated().contains {
                    $0 != place && $1.site == group.site && $1.rooms.contains(room)
                }
                let isFit = isAlone && label.utf8.count <= Self.labelBytes && uses[label] == nil
                return isFit ? label : "\(room) · \(place + 1)"
            }
        }
    }

    /// The index of the group that the device of that index over the whole fleet is in.
    func group(of index: UInt64) -> Int { layout.place(of: Int(index)).group }

    /// The name of the device of that index over the whole fleet.
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
