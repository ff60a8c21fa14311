/// A date of the proleptic Gregorian calendar. The conversions are those of Hinnant, "chrono-compatible
/// low-level date algorithms".
package struct CivilDate: Equatable, Sendable {
    package let year: Int64
    package let month: Int64
    package let day: Int64

    /// Creates a date; nil if the month does not have the day.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let next = month == 12 ? (year + 1, 1) : (year, month + 1)
        let length = Self.days(next.0, next.1, 1) - Self.days(year, month, 1)
        guard day <= length else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    package init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = shifted.dividedDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    package var daysSince1970: Int64 { Self.days(year, month, day) }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = year - (month <= 2 ? 1 : 0)
        let era = shifted.dividedDown(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int64 {
    package func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// The rest of ``dividedDown(by:)``, zero or more.
    package func rest(dividingBy divisor: Int64) -> Int64 { self - dividedDown(by: divisor) * divisor }
}
