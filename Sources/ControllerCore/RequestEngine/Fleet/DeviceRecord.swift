import FleetProtocol

/// A device's index in the directory, which never changes.
typealias DeviceSlot = Int

/// The controller's record of a device: 128 bytes, with the small fields together at the end.
struct DeviceRecord: Sendable {
    enum Status: Sendable {
        case awaited
        case hosted
        case removed
    }

    let id: DeviceID
    var name: String
    var node: NodeSlot
    let account: AccountIndex
    /// The node's boot that last updated the record, and the number of that change.
    var boot: UInt32
    var number: ChangeNumber
    var reported: DeviceState
    var lastCommandNumber: CommandNumber
    var connectedSince: WallTime
    /// When the controller received the state.
    var asOf: WallTime
    /// The head of the lane: the request in flight.
    var current: RequestSlot?
    /// The last measurements of the device, with their time of arrival; nil before the first.
    var measured: SnapshotChunk.Measured?
    var group = GroupNumber.none
    var isConnected: Bool
    var cause = ChangeCause.request
    var status = Status.hosted

    /// Whether the device was removed; its slot stays empty.
    var isRemoved: Bool { status == .removed }
    /// Whether requests refer to the device and no node has named it since the start: users do not see it
    /// yet.
    var isAwaited: Bool { status == .awaited }

    /// Stores the state that a row of its node reports.
    @inline(__always)
    mutating func report(_ row: DeviceRow) {
        reported = row.reported
        cause = row.cause
    }
}

extension Directory {
    func snapshotRow(of device: DeviceRecord) -> SnapshotChunk.Row {
        SnapshotChunk.Row(
            device: device.id, name: device.name, node: nodes[device.node].index,
            group: device.group, reported: device.reported, isConnected: device.isConnected,
            connectedSince: device.connectedSince, asOf: device.asOf, cause: device.cause,
            measured: device.measured,
            settings: settings.isEmpty ? nil : settings[device.id])
    }
}

/// The groups of an account's devices. A group keeps its number as long as the controller runs, and nodes
/// with equal groups share it.
struct GroupTable: Sendable {
    /// The groups, in the order of their numbers.
    private(set) var groups: [DeviceGroup] = []
    private var numbers: [DeviceGroup: GroupNumber] = [:]
    private var counts: [UInt32] = []

    /// The number of a group; nil if it is unknown.
    func number(of group: DeviceGroup) -> GroupNumber? { numbers[group] }

    /// Adds a new group and returns its number; nil if the table is full.
    mutating func add(_ group: DeviceGroup) -> GroupNumber? {
        precondition(numbers[group] == nil, "a group has one number")
        guard groups.count < Limits.accountGroups else { return nil }
        groups.append(group)
        counts.append(0)
        let number = GroupNumber(UInt16(groups.count))
        numbers[group] = number
        return number
    }

    func devices(at place: Int) -> Int { Int(counts[place]) }

    mutating func count(_ number: GroupNumber, by step: Int) {
        guard number != .none else { return }
        let place = Int(number.value) - 1
        counts[place] = UInt32(Int(counts[place]) + step)
    }
}

/// Devices in the current message that must begin new incarnations.
struct Doubts: Sendable {
    private var devices: [SeenDevice] = []

    var isEmpty: Bool { devices.isEmpty }

    mutating func add(_ device: SeenDevice) { devices.append(device) }

    /// Removes all devices, calling the body with each ``Limits/renewedDevices`` of them.
    mutating func drain(_ body: ([SeenDevice]) -> Void) {
        for start in stride(from: 0, to: devices.count, by: Limits.renewedDevices) {
            body(Array(devices[start..<min(start + Limits.renewedDevices, devices.count)]))
        }
        devices.removeAll(keepingCapacity: true)
    }
}
