import FleetProtocol
import Stepping

/// A device's place in the directory; it never moves.
typealias DeviceSlot = Int

/// A device as the controller knows it: 128 bytes, small fields beside one another and last.
struct DeviceRecord: Sendable {
    let id: DeviceID
    var name: String
    var node: NodeSlot
    let account: AccountIndex
    /// The boot of the node, and its number, that last wrote this row.
    var boot: UInt32
    var number: ChangeNumber
    var reported: DeviceState
    var lastSequence: CommandSequence
    var connectedSince: WallTime
    /// When the controller heard of the state.
    var asOf: WallTime
    /// What its pod measured last; nil before it is heard of.
    var measurements: Measurements?
    /// When the controller heard of that.
    var measuredAt = WallTime(unixMilliseconds: 0)
    /// The lane's head: the request that is in flight.
    var current: RequestSlot?
    /// Its group in its account.
    var group = GroupNumber.none
    var isConnected: Bool
    /// What last changed its state.
    var cause = ChangeCause.request
    /// Its node no longer has it; the slot stays empty.
    var isRemoved = false
    /// Requests are about it, and no node has named it since our start: nobody is shown it.
    var isAwaited = false
}

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
