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
}
