public import FleetProtocol

/// What the devices of a node remember, while it is read: a node takes its own out of it and lets it go.
public struct NodeMemory: Sendable {
    private var slots: [DeviceID: Int32] = [:]
    private var ids: [DeviceID] = []
    private var memories: [DeviceMemory] = []

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

    /// Puts a whole memory in the place of what is known of the device.
    public mutating func set(_ memory: DeviceMemory, of device: DeviceID) {
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
        guard let slot = slots[entry.device] else {
            var memory = DeviceMemory(entry.reported)
            memory.apply(entry)
            return set(memory, of: entry.device)
        }
        memories[Int(slot)].apply(entry)
    }
}
