public import FleetProtocol

extension LabelledDevice {
    /// The device and its labels for scripts and pages.
    public var json: JSONObject { ["id": device.description, "labels": labels.map(\.text)] }
}
