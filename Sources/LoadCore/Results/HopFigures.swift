/// Where the time of an applied toggle went; the mean parts add up to the mean latency.
public struct HopFigures: Codable, Equatable, Sendable {
    /// In the tester, from when it was due until it left.
    public let testerUs: LatencyFigures
    /// In the device's lane, until the controller decided on it.
    public let queueUs: LatencyFigures
    /// In the journal, before it left for the device.
    public let journalUs: LatencyFigures
    /// Between controller and device, both ways.
    public let wireUs: LatencyFigures
    /// In the device.
    public let deviceUs: LatencyFigures
    /// Everything else: between tester and controller, both ways, and in the controller before it answered.
    public let replyUs: LatencyFigures

    /// Each part with its name, in the order of the way.
    var parts: [(name: String, figures: LatencyFigures)] {
        [
            ("tester", testerUs), ("queue", queueUs), ("journal", journalUs), ("wire", wireUs),
            ("device", deviceUs), ("reply", replyUs),
        ]
    }
}
