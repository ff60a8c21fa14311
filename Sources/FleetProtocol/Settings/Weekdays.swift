/// A day of the week.
public enum Weekday: UInt8, CaseIterable, Hashable, Sendable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// The day of that number since 1970-01-01, which was a Thursday.
    public init(daysSince1970 days: Int64) {
        let place = (days % 7 + 7 + 3) % 7
        guard let day = Weekday(rawValue: UInt8(place)) else {
            preconditionFailure("a week has seven days, and not a day \(place)")
        }
        self = day
    }

    /// The day of that name; nil when there is none.
    public init?(name: some StringProtocol) {
        guard let day = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = day
    }

    /// Its name, in lower case.
    public var name: String { "\(self)" }
}

/// Some days of the week.
public struct Weekdays: OptionSet, Hashable, Sendable {
    /// A bit for each day, the lowest for Monday.
    public let rawValue: UInt8

    /// The days of those bits; of a bit that stands for no day nothing is left.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x7f }

    /// Those days.
    public init(_ days: some Sequence<Weekday>) {
        self.init(rawValue: days.reduce(0) { $0 | 1 << $1.rawValue })
    }

    /// From Monday to Sunday.
    public static let all = Weekdays(Weekday.allCases)
    /// From Monday to Friday.
    public static let working = Weekdays(Weekday.allCases.prefix(5))

    /// The days, from Monday on.
    public var days: [Weekday] { Weekday.allCases.filter(contains) }

    /// Whether a day is among them.
    public func contains(_ day: Weekday) -> Bool { rawValue & 1 << day.rawValue != 0 }
}
