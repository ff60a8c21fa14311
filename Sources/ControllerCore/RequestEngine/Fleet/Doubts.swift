import FleetProtocol

/// Devices in the current message that must begin new incarnations.
struct Doubts: Sendable {
    private var devices: [SeenDevice] = []

    /// Whether the list is empty.
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
