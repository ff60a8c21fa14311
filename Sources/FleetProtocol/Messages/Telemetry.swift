/// What a node publishes of changed devices, and of what their pods measured.
///
/// It may be lost: pulls repair rows, and pods measure again.
public struct Telemetry: Sendable, Equatable {
    /// One life of the node's process.
    public let bootID: BootID
    /// The devices as they are now, in the order of their numbers.
    public let rows: [DeviceRow]
    /// What pods have just measured, at most ``Limits/chunkRows``.
    public let measured: [MeasuredDevice]

    /// The telemetry of those rows and measurements.
    public init(bootID: BootID, rows: [DeviceRow] = [], measured: [MeasuredDevice] = []) {
        self.bootID = bootID
        self.rows = rows
        self.measured = measured
    }

    /// Rows in as many messages as they take: each has ``Limits/updateDevices`` at most, for one update to
    /// tell, and fits in ``Limits/messageBytes``.
    public static func messages(of rows: [DeviceRow], from bootID: BootID) -> [Telemetry] {
        var messages: [Telemetry] = []
        var (start, bytes) = (0, frameBytesAtMost)
        for (place, row) in rows.enumerated() {
            bytes += row.bytesAtMost
            guard bytes > Limits.messageBytes || place - start == Limits.updateDevices else { continue }
            messages.append(Telemetry(bootID: bootID, rows: Array(rows[start..<place])))
            (start, bytes) = (place, frameBytesAtMost + row.bytesAtMost)
        }
        if start < rows.count { messages.append(Telemetry(bootID: bootID, rows: Array(rows[start...]))) }
        return messages
    }

    /// What a message takes around its rows at most.
    private static let frameBytesAtMost = 16
}
