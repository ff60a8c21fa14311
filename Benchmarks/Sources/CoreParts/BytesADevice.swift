/// The heap memory of one of many devices, in each core that stores it.
///
/// The resident memory of a process also contains its fixed needs and the allocator's reserve.
package enum BytesADevice {
    private static let devices = 100_000

    /// The lines of the table.
    package static func lines() throws -> [Line] {
        [
            .bounded(
                "node's core, heap a device", try NodeBench.bytesADevice(of: devices), atMost: 170, unit: "B"),
            .bounded(
                "controller's core, heap a device", try ControllerBench.bytesADevice(of: devices),
                atMost: 340, unit: "B"),
        ]
    }
}
