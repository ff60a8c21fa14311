import FleetProtocol

/// The devices of a node by slot: first those that it hosts, then those that have retired, whose memories
/// stay in the node's memory file.
struct HostedDevices: Sendable {
    private var devices: [Device]
    /// The IDs by slot.
    let ids: [DeviceID]
    /// The number of hosted devices.
    private(set) var count: Int
    /// The change number assigned last.
    private(set) var lastNumber: ChangeNumber
    private let keys: FleetKeys
    private let firstIndex: UInt64

    /// The devices of a node that starts: each with the memory that the function returns for its slot and ID.
    init(of configuration: NodeConfiguration, memory: (Int, DeviceID) -> DeviceMemory) {
        firstIndex = configuration.firstIndex
        keys = FleetKeys(seed: configuration.seed)
        count = configuration.devices
        lastNumber = ChangeNumber(UInt64(configuration.devices))
        ids = (0..<configuration.devices).map {
            DeviceID(fleetSeed: configuration.seed, index: configuration.firstIndex + UInt64($0))
        }
        devices = ids.enumerated().map { slot, id in
            Device(memory: memory(slot, id), number: ChangeNumber(UInt64(slot + 1)))
        }
    }

    /// The number of slots, with those of retired devices.
    var slotCount: Int { devices.count }

    /// The device of a slot, changed in place.
    subscript(slot: Int) -> Device {
        _read { yield devices[slot] }
        _modify { yield &devices[slot] }
    }

    /// Returns the slot of a hosted or retired device; nil for another node's.
    func slot(of device: DeviceID) -> Int? {
        let index = device.index(in: keys)
        guard index >= firstIndex, index - firstIndex < UInt64(devices.count) else { return nil }
        return Int(index - firstIndex)
    }

    /// Returns the slot of a hosted device; nil for another.
    func hostedSlot(of device: DeviceID) -> Int? {
        slot(of: device).flatMap { $0 < count ? $0 : nil }
    }

    /// Returns the slot of a hosted and connected device; nil for another.
    func connectedSlot(of device: DeviceID) -> Int? {
        guard let slot = hostedSlot(of: device), isConnected(slot) else { return nil }
        return slot
    }

    /// Whether the device of a slot has a connection.
    func isConnected(_ slot: Int) -> Bool { devices[slot].connectivity == .established }

    /// The numbers of hosted devices that are on, and that are connected.
    var standing: (on: Int, connected: Int) {
        devices.prefix(count).reduce(into: (0, 0)) { standing, device in
            standing.0 += device.memory.state.isOn ? 1 : 0
            standing.1 += device.connectivity == .established ? 1 : 0
        }
    }

    /// Assigns the next change number to a device.
    mutating func renumber(_ slot: Int) {
        lastNumber = lastNumber.next
        devices[slot].number = lastNumber
    }

    /// Retires the last devices; returns their number, or nil if the named ones are not the last.
    ///
    /// Devices that the node does not host are skipped.
    mutating func retire(_ named: [DeviceID]) -> Int? {
        let leaving = named.compactMap(hostedSlot(of:))
        guard Set(leaving).count == leaving.count, leaving.allSatisfy({ $0 >= count - leaving.count })
        else { return nil }
        count -= leaving.count
        return leaving.count
    }
}
