package import FleetProtocol
import UserText

/// A date and a time of day in an unspecified time zone.
package struct LocalMoment: Hashable, Comparable, Sendable, CustomStringConvertible {
    private static let millisecondsOfDay: Int64 = 86_400_000

    /// Milliseconds since 1970-01-01 00:00 of that time zone, as if its offset never changed.
    package let milliseconds: Int64

    /// A moment from its milliseconds since 1970.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// A time of day on a date; nil for an invalid date (proleptic Gregorian calendar).
    init?(year: Int, month: Int, day: Int, millisecondOfDay: Int64) {
        guard let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)) else {
            return nil
        }
        milliseconds = date.daysSince1970 * Self.millisecondsOfDay + millisecondOfDay
    }

    /// Returns the given time of the same day.
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

    /// Returns whether the first is earlier in the time zone.
    package static func < (left: LocalMoment, right: LocalMoment) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
