import FleetProtocol

/// The devices that a node may host, with what undoes their ids.
struct HostedRange: Sendable {
    private let keys: FleetKeys
    private let indices: Range<UInt64>

    init(_ range: DeviceRange) {
        keys = FleetKeys(seed: range.seed)
        indices = range.indices
    }

    func contains(_ device: DeviceID) -> Bool { indices.contains(device.index(in: keys)) }
}
