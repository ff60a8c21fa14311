public import FleetProtocol

extension LabelledDevice {
    /// The device and its labels for scripts and pages.
    public var json: JSONValue {
        ["id": .string(device.description), "labels": .array(labels.map { .string($0.text) })]
    }
}
