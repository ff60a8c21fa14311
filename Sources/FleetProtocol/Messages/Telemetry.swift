/// What a node publishes of changed devices.
///
/// It may be lost; pulls repair that.
public struct Telemetry: Sendable, Equatable {
    /// One life of the node's process.
    public let bootID: BootID
    /// The devices as they are now, in the order of their numbers.
    public let rows: [DeviceRow]

    /// The telemetry of those rows.
    public init(bootID: BootID, rows: [DeviceRow]) {
        self.bootID = bootID
        self.rows = rows
    }
}
