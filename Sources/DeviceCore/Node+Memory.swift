public import FleetProtocol

/// What a node's devices remember, for whoever writes it down.
extension Node {
    /// Whether ``putMemories(of:into:)`` knows the device: one that the node hosts, or that has retired.
    public func remembers(_ device: DeviceID) -> Bool { slot(of: device) != nil }

    /// Appends all that the devices of some slots remember now.
    ///
    /// - Parameter slots: Some of 0 to ``deviceCount``.
    public func putMemories(of slots: Range<Int>, into writer: inout MemoryWriter) {
        for slot in slots { writer.put(devices[slot].memory, of: ids[slot]) }
        if !airConditioners.areAsAssumed {
            for slot in slots {
                if let actual = airConditioners.stray(of: slot) {
                    writer.put(airConditioner: actual, of: ids[slot])
                }
            }
        }
        guard !settings.isEmpty else { return }
        for slot in slots {
            if let settings = settings[slot] { writer.put(settings, of: ids[slot]) }
        }
    }

    mutating func remember(
        _ cause: MemoryEntry.Cause, of slot: Int, airConditioner: ACState? = nil,
        settings: DeviceSettings? = nil, into effects: inout [Effect]
    ) {
        effects.append(
            .remember(
                MemoryEntry(
                    device: ids[slot], reported: devices[slot].memory.reported,
                    epoch: devices[slot].memory.epoch, cause: cause,
                    changedBy: devices[slot].memory.cause, airConditioner: airConditioner,
                    settings: settings)))
    }
}
