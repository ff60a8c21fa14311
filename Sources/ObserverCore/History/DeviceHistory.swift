import FleetProtocol

/// What is remembered of one device beyond its row: its room's temperatures, and what happened to it last.
///
/// All of it lies in one place and has its full size from the start, so that nothing that is heard later
/// takes more memory.
struct DeviceHistory: Sendable {
    /// Temperatures that are kept, in tenths of a degree Celsius: 48 minutes of them, since a pod measures
    /// every 90 s.
    typealias Temperatures = InlineRing<32, Int16>
    /// Events that are kept.
    typealias Events = InlineRing<8, HistoryEvent>

    let device: DeviceID
    /// The number of the frame that showed the device last; 0 before the first.
    var shownIn: UInt64 = 0
    private(set) var deciCelsius = Temperatures(filler: 0)
    private(set) var events = Events(filler: .blank)

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
