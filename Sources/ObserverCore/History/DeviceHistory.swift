import FleetProtocol

/// What is remembered of one device beyond its row: its room's temperatures, and what happened to it last.
struct DeviceHistory: Sendable {
    /// Temperatures that are kept: 48 minutes of them, since a pod measures every 90 s.
    static let temperatures = 32
    /// Events that are kept.
    static let events = 8

    let device: DeviceID
    /// In tenths of a degree Celsius.
    private(set) var deciCelsius = Ring<Int16>(limit: temperatures)
    private(set) var events = Ring<HistoryEvent>(limit: events)
    /// The number of the frame that showed the device last; 0 before the first.
    var shownIn: UInt64 = 0

    init(of device: DeviceID) {
        self.device = device
    }

    mutating func note(_ measured: Measurements) {
        deciCelsius.append(measured.deciCelsius)
    }

    mutating func note(_ event: HistoryEvent) {
        events.append(event)
    }
}
