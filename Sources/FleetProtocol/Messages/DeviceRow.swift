/// One device as its node knows it.
public struct DeviceRow: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// The number of the change that last wrote this row.
    public let number: ChangeNumber
    /// Its state.
    public let reported: DeviceState
    /// The highest controller's epoch it has seen.
    public let epoch: Epoch
    /// The last command's sequence.
    public let lastSequence: CommandSequence
    /// Whether it has a connection.
    public let isConnected: Bool
    /// What last changed its state.
    public let cause: ChangeCause
    /// What users have set it to do by itself; nil where they have set nothing.
    public let settings: DeviceSettings?

    /// What it takes of a telemetry message's bytes at most: 88 for its numbers, its id and its state, and
    /// its settings.
    public var bytesAtMost: Int { 88 + (settings?.bytesAtMost ?? 0) }

    /// The row of those values.
    public init(
        device: DeviceID, number: ChangeNumber, reported: DeviceState, epoch: Epoch,
        lastSequence: CommandSequence, isConnected: Bool, cause: ChangeCause = .request,
        settings: DeviceSettings? = nil
    ) {
        self.device = device
        self.number = number
        self.reported = reported
        self.epoch = epoch
        self.lastSequence = lastSequence
        self.isConnected = isConnected
        self.cause = cause
        self.settings = settings
    }
}
