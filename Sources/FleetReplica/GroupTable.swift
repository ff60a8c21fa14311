import FleetProtocol

/// The groups that were heard of, each at a place that stays its own.
///
/// The controller's numbers of groups hold for one epoch only, so rows refer to places here.
struct GroupTable: Sendable {
    /// The place of no group.
    static let nowhere: UInt16 = 0

    private var groups: [DeviceGroup] = []
    private var placesByGroup: [DeviceGroup: UInt16] = [:]
    /// ``nowhere`` where nobody has told of a number.
    private var placesByNumber: [UInt16] = []

    /// The group at a place; nil for ``nowhere``.
    subscript(place: UInt16) -> DeviceGroup? {
        place == Self.nowhere ? nil : groups[Int(place) - 1]
    }

    /// Where the group of a number is; ``nowhere`` for one that nobody has told of.
    func place(of number: GroupNumber) -> UInt16 {
        let index = Int(number.value)
        return index < placesByNumber.count ? placesByNumber[index] : Self.nowhere
    }

    /// Takes what a number stands for; when there is no room, it stands for no group.
    mutating func write(_ new: SnapshotChunk.Group) {
        if let known = placesByGroup[new.group] {
            note(new.number, at: known)
        } else if groups.count < UInt16.max {
            groups.append(new.group)
            placesByGroup[new.group] = UInt16(groups.count)
            note(new.number, at: UInt16(groups.count))
        }
    }

    private mutating func note(_ number: GroupNumber, at place: UInt16) {
        let missing = Int(number.value) + 1 - placesByNumber.count
        if missing > 0 { placesByNumber += Array(repeating: Self.nowhere, count: missing) }
        placesByNumber[Int(number.value)] = place
    }

    /// The numbers that stand for a group, the lowest first, each with its place.
    private var told: [(number: GroupNumber, place: UInt16)] {
        placesByNumber.enumerated().filter { $0.element != Self.nowhere }.map {
            (GroupNumber(UInt16($0.offset)), $0.element)
        }
    }

    /// The groups that have a number, the lowest first.
    var numbered: [SnapshotChunk.Group] {
        told.map { SnapshotChunk.Group(number: $0.number, group: groups[Int($0.place) - 1]) }
    }

    /// The number of each place that has one; the lowest where it has several.
    var numbersByPlace: [UInt16: GroupNumber] {
        Dictionary(told.map { ($0.place, $0.number) }) { lowest, _ in lowest }
    }

    /// Forgets the controller's numbers: another epoch gives others.
    mutating func forgetNumbers() {
        placesByNumber.removeAll(keepingCapacity: true)
    }
}
