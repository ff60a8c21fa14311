/// What one of many devices takes on the heap of each core that holds it.
///
/// What a process has resident is more by what it needs anyway, and by what the allocator keeps for itself.
enum BytesADevice {
    private static let devices = 100_000

    /// The lines of the table.
    static func lines() throws -> [Line] {
        [
            .bounded(
                "node's core, heap a device", try NodeBench.bytesADevice(of: devices), atMost: 170, unit: "B"),
            .bounded(
                "controller's core, heap a device", try ControllerBench.bytesADevice(of: devices),
                atMost: 340, unit: "B"),
        ]
    }
}
