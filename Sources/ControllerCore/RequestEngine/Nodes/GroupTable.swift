import FleetProtocol

/// The groups of an account's devices: each has a number that stays its own for as long as the controller
/// runs, and nodes that have equal ones share them.
struct GroupTable: Sendable {
    /// The groups, in the order of their numbers.
    private(set) var groups: [DeviceGroup] = []
    private var numbers: [DeviceGroup: GroupNumber] = [:]
    /// How many devices are in each.
    private var counts: [UInt32] = []

    /// The number of a group; nil for one that is not there.
    func number(of group: DeviceGroup) -> GroupNumber? { numbers[group] }

    /// Takes a group in; nil when there is no room.
    ///
    /// - Precondition: It is not there yet.
    mutating func add(_ group: DeviceGroup) -> GroupNumber? {
        precondition(numbers[group] == nil, "a group has one number")
        guard groups.count < Limits.accountGroups else { return nil }
        groups.append(group)
        counts.append(0)
        let number = GroupNumber(UInt16(groups.count))
        numbers[group] = number
        return number
    }

    /// How many devices are in the group at that place among them.
    func devices(at place: Int) -> Int { Int(counts[place]) }

    /// Devices have come into a group, or have left it.
    mutating func count(_ number: GroupNumber, by step: Int) {
        guard number != .none else { return }
        let place = Int(number.value) - 1
        counts[place] = UInt32(Int(counts[place]) + step)
    }
}
