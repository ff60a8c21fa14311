public import FleetProtocol

/// What the devices of a node remember, while it is read: a node takes its own out of it and lets it go.
public struct NodeMemory: Sendable {
    private var slots: [DeviceID: Int32] = [:]
    private var ids: [DeviceID] = []
    private var memories: [DeviceMemory] = []
    /// What air conditioners are at, where their devices assume something else.
    private var strays: [DeviceID: ACState] = [:]
    /// What devices are set to do by themselves, where it is anything.
    private var settings: [DeviceID: DeviceSettings] = [:]

    /// Nothing is remembered.
    public init() {}

    /// How many devices are remembered.
    public var deviceCount: Int { ids.count }

    /// What each device remembers, in the order in which they were first heard of.
    public var devices: some Sequence<(DeviceID, DeviceMemory)> { zip(ids, memories) }

    /// What a device remembers; nil for one that nobody has heard of.
    public subscript(device: DeviceID) -> DeviceMemory? {
        slots[device].map { memories[Int($0)] }
    }

    /// What a device's air conditioner is at, where the device assumes something else; nil where it does not.
    public func airConditioner(of device: DeviceID) -> ACState? { strays[device] }

    /// Takes what a device's air conditioner is at.
    public mutating func setAirConditioner(_ actual: ACState, of device: DeviceID) {
        strays[device] = actual == self[device]?.state ? nil : actual
    }

    /// What a device is set to do by itself; nil for nothing.
    public func settings(of device: DeviceID) -> DeviceSettings? { settings[device] }

    /// Takes what a device is set to do by itself.
    public mutating func setSettings(_ new: DeviceSettings, of device: DeviceID) {
        settings[device] = new.isEmpty ? nil : new
    }

    /// Puts a whole memory in the place of what is known of the device, whose air conditioner is then at what
    /// it assumes, and which is set to nothing.
    public mutating func set(_ memory: DeviceMemory, of device: DeviceID) {
        strays[device] = nil
        settings[device] = nil
        if let slot = slots[device] {
            memories[Int(slot)] = memory
        } else {
            slots[device] = Int32(ids.count)
            ids.append(device)
            memories.append(memory)
        }
    }

    /// Takes what happened to a device after everything that is known.
    public mutating func apply(_ entry: MemoryEntry) {
        if let slot = slots[entry.device] {
            memories[Int(slot)].apply(entry)
        } else {
            var memory = DeviceMemory(entry.reported)
            memory.apply(entry)
            set(memory, of: entry.device)
        }
        if entry.cause == .reset { settings[entry.device] = nil }
        if let new = entry.settings { setSettings(new, of: entry.device) }
        if let actual = entry.airConditioner { setAirConditioner(actual, of: entry.device) }
    }
}
