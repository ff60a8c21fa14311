import FleetProtocol

/// The groups that were heard of, each at a place that stays its own.
///
/// The controller's numbers of groups hold for one epoch only, so rows refer to places here.
struct GroupTable: Sendable {
    /// The place of no group.
    static let nowhere: UInt16 = 0

    private var groups: [DeviceGroup] = []
    private var placesByGroup: [DeviceGroup: UInt16] = [:]
    private var placesByNumber: [GroupNumber: UInt16] = [:]

    /// The group at a place; nil for ``nowhere``.
    subscript(place: UInt16) -> DeviceGroup? {
        place == Self.nowhere ? nil : groups[Int(place) - 1]
    }

    /// Where the group of a number is; ``nowhere`` for one that nobody has told of.
    func place(of number: GroupNumber) -> UInt16 { placesByNumber[number] ?? Self.nowhere }

    /// Takes what a number stands for; when there is no room, it stands for no group.
    mutating func write(_ new: SnapshotChunk.Group) {
        if let known = placesByGroup[new.group] {
            placesByNumber[new.number] = known
        } else if groups.count < UInt16.max {
            groups.append(new.group)
            placesByGroup[new.group] = UInt16(groups.count)
            placesByNumber[new.number] = UInt16(groups.count)
        }
    }

    /// The groups that have a number, the lowest first.
    var numbered: [SnapshotChunk.Group] {
        placesByNumber.sorted { $0.key.value < $1.key.value }.map {
            SnapshotChunk.Group(number: $0.key, group: groups[Int($0.value) - 1])
        }
    }

    /// The number of each place that has one; the lowest where it has several.
    var numbersByPlace: [UInt16: GroupNumber] {
        Dictionary(placesByNumber.map { ($0.value, $0.key) }) { $0.value < $1.value ? $0 : $1 }
    }

    /// Forgets the controller's numbers: another epoch gives others.
    mutating func forgetNumbers() {
        placesByNumber.removeAll(keepingCapacity: true)
    }
}
