/// A device with the state that it has now.
public struct ReportedDevice: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// Its state.
    public let state: DeviceState
    /// What made it so.
    public let cause: ChangeCause

    /// That state of that device.
    public init(device: DeviceID, state: DeviceState, cause: ChangeCause = .request) {
        self.device = device
        self.state = state
        self.cause = cause
    }
}
