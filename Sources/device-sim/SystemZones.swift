import DeviceCore
import FleetProtocol
import Foundation
import Stepping

/// The time zones that Foundation knows, with all their changes of clocks.
struct SystemZones: ZoneOffsets {
    func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64? {
        let date = Date(timeIntervalSince1970: Double(time.unixMilliseconds) / 1_000)
        return TimeZone(identifier: zone.text).map { Int64($0.secondsFromGMT(for: date)) }
    }
}
