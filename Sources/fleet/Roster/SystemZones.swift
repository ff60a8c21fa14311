import FleetProtocol
import FleetTime
import Foundation

extension PlaceClock {
    /// The clocks of a zone of the IANA Time Zone Database; nil where this machine's has none of that name.
    init?(_ zone: TimeZoneName) {
        guard let known = TimeZone(identifier: zone.text) else { return nil }
        self.init(zone: zone) { time in
            let date = Date(timeIntervalSince1970: Double(time.unixMilliseconds) / 1_000)
            return Int64(known.secondsFromGMT(for: date))
        }
    }
}
