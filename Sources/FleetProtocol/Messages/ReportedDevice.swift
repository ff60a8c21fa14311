/// A device with the state that it has now.
public struct ReportedDevice: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// Its state.
    public let state: DeviceState

    /// That state of that device.
    public init(device: DeviceID, state: DeviceState) {
        self.device = device
        self.state = state
    }
}
