import DeviceCore
import FleetProtocol
import FleetTime

/// Zones whose clocks are some seconds ahead of UTC, so that in one of them a minute begins soon.
struct SimulatedZones: ZoneOffsets {
    private static let prefix = "Ahead/"

    /// The zone where it is a whole minute at that time, and what its clocks show then.
    static func zone(ofMinuteAt time: WallTime) -> (name: TimeZoneName, time: LocalTime) {
        let seconds = time.unixMilliseconds / 1_000
        let ahead = (60 - seconds % 60) % 60
        guard let name = TimeZoneName("\(prefix)\(ahead)"),
            let local = LocalTime(minuteOfDay: (seconds + ahead) / 60 % 1_440)
        else { preconditionFailure("\(ahead) seconds name no zone") }
        return (name, local)
    }

    func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64? {
        guard zone.text.hasPrefix(Self.prefix) else { return nil }
        return Int64(zone.text.dropFirst(Self.prefix.count))
    }
}
