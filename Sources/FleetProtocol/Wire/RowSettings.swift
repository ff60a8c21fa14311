/// The settings of one row of a chunk. Few rows have settings, so each message names its row.
struct RowSettings {
    let row: UInt32
    let settings: DeviceSettings

    init(_ row: UInt32, _ settings: DeviceSettings) { (self.row, self.settings) = (row, settings) }

    static func byRow(_ settings: [RowSettings]) -> [Int: DeviceSettings] {
        Dictionary(settings.map { (Int($0.row), $0.settings) }) { _, later in later }
    }
}

extension DeviceSettings {
    /// The upper bound of their size in a chunk or a telemetry message, in bytes.
    ///
    /// A change takes 19, so Climate React 60, a timer 45 and the count of a filter 52, calibration and pure
    /// boost 8 each; 16 are for the frames around them. Schedules come on top.
    public var bytesAtMost: Int { 189 + schedules.count * DeviceSchedule.bytesAtMost }
}

extension DeviceSchedule {
    /// The upper bound of a schedule's size in a message, in bytes: its ID 10, a plan with the 19 of a change
    /// 60, whether it is enabled 2, three times 33, and framing 2.
    static let bytesAtMost = 107
}
