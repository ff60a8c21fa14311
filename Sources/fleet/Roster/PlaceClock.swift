import FleetProtocol
import FleetTime
import Foundation
import UserText

/// The clocks of a place, which are set forward and back.
struct PlaceClock: Sendable {
    /// When clocks show a date and a time.
    enum Reading: Equatable {
        /// Once.
        case once(WallTime)
        /// Twice, for they are set back.
        case twice(WallTime, WallTime)
        /// Never, for they are set forward over it; what they show instead.
        case never(instead: LocalMoment)
    }

    /// Further apart from one another than this no two changes of clocks begin and end.
    private static let around: Duration = .seconds(86_400)

    /// What the place's zone is called.
    let zone: TimeZoneName
    /// By how many seconds its clocks are ahead of UTC at a time.
    let secondsEast: @Sendable (WallTime) -> Int64

    /// What the clocks show at a time.
    func local(_ time: WallTime) -> LocalMoment {
        LocalMoment(milliseconds: time.unixMilliseconds + secondsEast(time) * 1_000)
    }

    /// When they show that.
    func reading(_ local: LocalMoment) -> Reading {
        let asUTC = WallTime(unixMilliseconds: local.milliseconds)
        let times = [.zero - Self.around, Self.around].map { away in
            asUTC.advanced(by: .seconds(-secondsEast(asUTC.advanced(by: away))))
        }
        let right = times.filter { self.local($0) == local }
        guard let first = right.min(), let last = right.max() else {
            // By the clocks from before they were set, it is that time after they were.
            return .never(instead: self.local(times[0]))
        }
        return first == last ? .once(first) : .twice(first, last)
    }

    /// A time as it is written for them so that it is read as the same: as they show it where they show it
    /// once or for the first time, and in UTC otherwise.
    func text(_ time: WallTime) -> String {
        let local = local(time)
        guard time.unixMilliseconds.isMultiple(of: 1_000) else { return TimeText.iso8601(time) }
        switch reading(local) {
        case .once(time): return local.description
        case .twice(time, _): return local.description
        case .once, .twice, .never: return TimeText.iso8601(time)
        }
    }
}

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
