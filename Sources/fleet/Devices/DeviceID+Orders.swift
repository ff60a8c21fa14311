import FleetProtocol

extension [DeviceID] {
    /// The devices in parts of as many as one order may name, in their order.
    var orders: [[DeviceID]] {
        stride(from: 0, to: count, by: Limits.faultDevices).map { start in
            Array(self[start..<Swift.min(start + Limits.faultDevices, count)])
        }
    }
}
