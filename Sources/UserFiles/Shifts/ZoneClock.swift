package import FleetProtocol
import UserText

/// The clock of a time zone, with its changes of offset.
package struct ZoneClock: Sendable {
    enum Reading: Equatable {
        case once(WallTime)
        /// The clock shows it twice, because it is set back.
        case twice(WallTime, WallTime)
        /// The clock never shows it, because it is set forward over it; the local time that it shows instead.
        case never(instead: LocalMoment)
    }

    /// The search range: two changes of offset are always further apart than this.
    private static let around: Duration = .seconds(86_400)

    package let zone: TimeZoneName
    /// Returns the offset from UTC at a time, in seconds east.
    let secondsEast: @Sendable (WallTime) -> Int64

    package func local(_ time: WallTime) -> LocalMoment {
        LocalMoment(milliseconds: time.unixMilliseconds + secondsEast(time) * 1_000)
    }

    func reading(_ local: LocalMoment) -> Reading {
        let asUTC = WallTime(unixMilliseconds: local.milliseconds)
        let times = [.zero - Self.around, Self.around].map { offset in
            asUTC.advanced(by: .seconds(-secondsEast(asUTC.advanced(by: offset))))
        }
        let right = times.filter { self.local($0) == local }
        guard let first = right.min(), let last = right.max() else {
            // With the offset from before the change, the time falls after the change.
            return .never(instead: self.local(times[0]))
        }
        return first == last ? .once(first) : .twice(first, last)
    }

    /// Returns a text that is parsed as the same time: the local time if the clock shows it once or for the
    /// first time, and UTC otherwise.
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

extension ZoneClock {
    package init?(_ zone: TimeZoneName, in database: ZoneDatabase) {
        guard database.has(zone) else { return nil }
        self.init(zone: zone) { database.secondsEast(in: zone, at: $0) ?? 0 }
    }
}

/// A date and a time of day in an unspecified time zone.
package struct LocalMoment: Hashable, Comparable, Sendable, CustomStringConvertible {
    private static let millisecondsOfDay: Int64 = 86_400_000

    /// Milliseconds since 1970-01-01 00:00 of that time zone, as if its offset never changed.
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// A time of day on a date; nil for an invalid date (proleptic Gregorian calendar).
    init?(year: Int, month: Int, day: Int, millisecondOfDay: Int64) {
        guard let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)) else {
            return nil
        }
        milliseconds = date.daysSince1970 * Self.millisecondsOfDay + millisecondOfDay
    }

    package func at(_ time: LocalTime) -> LocalMoment {
        let midnight = milliseconds - milliseconds.rest(dividingBy: Self.millisecondsOfDay)
        return LocalMoment(milliseconds: midnight + Int64(time.minuteOfDay) * 60_000)
    }

    /// Returns the given time of the same day, or of the next day unless it is later than this.
    func next(_ time: LocalTime) -> LocalMoment {
        let today = at(time)
        return today > self ? today : LocalMoment(milliseconds: today.milliseconds + Self.millisecondsOfDay)
    }

    /// Date and time: `2026-11-23 22:00`, with seconds unless they are 0.
    package var description: String {
        var bytes: [UInt8] = []
        TimeText.append(second: WallTime(unixMilliseconds: milliseconds), to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self).replacing("T", with: " ")
        return text.hasSuffix(":00") ? String(text.dropLast(3)) : text
    }

    package static func < (left: LocalMoment, right: LocalMoment) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
