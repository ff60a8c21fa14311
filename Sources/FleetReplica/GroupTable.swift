import FleetProtocol

/// The known groups, each at a fixed place. The controller's group numbers are valid for one epoch only, so
/// rows refer to places in this table.
struct GroupTable: Sendable {
    static let nowhere: UInt16 = 0

    private var groups: [DeviceGroup] = []
    private var placesByGroup: [DeviceGroup: UInt16] = [:]
    /// The place of each group number; ``nowhere`` for an unknown number.
    private var placesByNumber: [UInt16] = []

    subscript(place: UInt16) -> DeviceGroup? { place == Self.nowhere ? nil : groups[Int(place) - 1] }

    /// Returns the place of a group number; ``nowhere`` for an unknown one.
    func place(of number: GroupNumber) -> UInt16 {
        let index = Int(number.value)
        return index < placesByNumber.count ? placesByNumber[index] : Self.nowhere
    }

    /// Sets the group of a number; if the table is full, the number has no group.
    mutating func write(_ new: SnapshotChunk.Group) {
        if let known = placesByGroup[new.group] {
            record(new.number, at: known)
        } else if groups.count < UInt16.max {
            groups.append(new.group)
            placesByGroup[new.group] = UInt16(groups.count)
            record(new.number, at: UInt16(groups.count))
        }
    }

    private mutating func record(_ number: GroupNumber, at place: UInt16) {
        let missing = Int(number.value) + 1 - placesByNumber.count
        if missing > 0 { placesByNumber += Array(repeating: Self.nowhere, count: missing) }
        placesByNumber[Int(number.value)] = place
    }

    private var numberedPlaces: [(number: GroupNumber, place: UInt16)] {
        placesByNumber.enumerated().filter { $0.element != Self.nowhere }.map {
            (GroupNumber(UInt16($0.offset)), $0.element)
        }
    }

    /// The groups with a number, lowest number first.
    var numbered: [SnapshotChunk.Group] {
        numberedPlaces.map { SnapshotChunk.Group(number: $0.number, group: groups[Int($0.place) - 1]) }
    }

    /// The number of each place with a number; the lowest if it has several.
    var numbersByPlace: [UInt16: GroupNumber] {
        Dictionary(numberedPlaces.map { ($0.place, $0.number) }) { lowest, _ in lowest }
    }

    /// Forgets the controller's numbers, because another epoch has different ones.
    mutating func clearNumbers() { placesByNumber.removeAll(keepingCapacity: true) }
}
