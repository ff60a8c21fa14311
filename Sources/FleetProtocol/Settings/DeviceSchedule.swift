public import Stepping

/// What a device is to set at a time of day, on some days of the week, again and again.
public struct SchedulePlan: Hashable, Sendable {
    /// What is set, one thing at least; what it does not name stays as it is.
    public let change: ACStateChange
    /// At what time of day.
    public let time: LocalTime
    /// On which days, one at least.
    public let weekdays: Weekdays
    /// By the clocks of which place.
    public let zone: TimeZoneName

    /// The plan of those parts.
    public init(change: ACStateChange, time: LocalTime, weekdays: Weekdays, zone: TimeZoneName) {
        self.change = change
        self.time = time
        self.weekdays = weekdays
        self.zone = zone
    }
}

/// A plan that a device has taken on.
///
/// Its calendar is the real one from when the device hears of it, and goes on from there at the speed of the
/// simulated clock. So ``calendarDue`` is a moment that is ``SchedulePlan/time`` there, and ``due`` when that
/// comes by the clock that people read; at speed 1 they are the same.
public struct DeviceSchedule: Hashable, Sendable {
    /// Which of the device's it is.
    public let id: ScheduleID
    /// What is to happen when.
    public let plan: SchedulePlan
    /// Whether it happens.
    public var isEnabled: Bool
    /// When it was first added.
    public let createdAt: WallTime
    /// When it happens next; while it is off, when it would have when it was switched off.
    public var due: WallTime
    /// What the plan's calendar says then.
    public var calendarDue: WallTime

    /// The schedule of those parts.
    public init(
        id: ScheduleID, plan: SchedulePlan, isEnabled: Bool = true, createdAt: WallTime, due: WallTime,
        calendarDue: WallTime
    ) {
        self.id = id
        self.plan = plan
        self.isEnabled = isEnabled
        self.createdAt = createdAt
        self.due = due
        self.calendarDue = calendarDue
    }
}

/// A schedule's name for machines: 8 characters of `[A-Za-z0-9]`, made by whoever adds it.
///
/// It means something only within its device. Whoever repeats an addition under the same id adds nothing
/// more.
public struct ScheduleID: Hashable, Sendable, CustomStringConvertible {
    /// The rule is a device's, and so are its eight bytes.
    let characters: DeviceID

    /// The id that a text spells; nil when it is not eight letters or digits.
    public init?(_ text: some StringProtocol) {
        guard let characters = DeviceID(text) else { return nil }
        self.characters = characters
    }

    /// The id of those characters, the first in the highest byte; nil when they are not eight letters or
    /// digits.
    public init?(bits: UInt64) {
        guard let characters = DeviceID(bits: bits) else { return nil }
        self.characters = characters
    }

    /// The id that follows from random bits: one of 62⁸, so that two of one device's hardly ever meet.
    public init(randomBits bits: UInt64) {
        characters = DeviceID(fleetSeed: 0, index: bits)
    }

    /// The characters as a number, the first in the highest byte.
    public var bits: UInt64 { characters.bits }

    /// The eight characters.
    public var description: String { characters.description }
}

/// A time on the clocks of some place, to the minute.
public struct LocalTime: Hashable, Sendable, CustomStringConvertible {
    /// Minutes of a day.
    public static let minutesOfDay: ClosedRange<UInt16> = 0...1_439

    /// Minutes after midnight, one of ``minutesOfDay``.
    public let minuteOfDay: UInt16

    /// So many minutes after midnight; nil when a day has no such minute.
    public init?(minuteOfDay: some BinaryInteger) {
        guard let minute = UInt16(exactly: minuteOfDay), Self.minutesOfDay.contains(minute) else {
            return nil
        }
        self.minuteOfDay = minute
    }

    /// What a text of five characters says, from `00:00` to `23:59`; nil when it says anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isASCIIDigit) }),
            let hour = UInt16(parts[0]), let minute = UInt16(parts[1]), minute < 60
        else { return nil }
        self.init(minuteOfDay: hour * 60 + minute)
    }

    /// Hours and minutes: `08:30`.
    public var description: String {
        let (hour, minute) = minuteOfDay.quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

/// What a time zone is called, such as `Europe/Oslo` (IANA Time Zone Database); which there are, a node
/// knows.
///
/// Its characters lie in it, so that a command that may carry one is copied as the numbers it is made of.
public struct TimeZoneName: Hashable, Sendable, CustomStringConvertible {
    /// The characters, eight at a time, the first the lowest byte; zero behind the last.
    private let words: [4 of UInt64]

    /// The characters.
    public var text: String {
        let bytes = (0..<Limits.timeZoneBytes).map {
            UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(8 * ($0 % 8)))
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The zone of that name: 1 to ``Limits/timeZoneBytes`` characters of `[A-Za-z0-9_+/-]`, the first of
    /// them a letter; nil for another.
    public init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                UInt8(ascii: "/"), UInt8(ascii: "-"):
                true
            default: Self.isLetter(byte)
            }
        }
        guard isAllowed, (1...Limits.timeZoneBytes).contains(text.utf8.count),
            text.utf8.first.map(Self.isLetter) ?? false
        else { return nil }
        self.init(known: text)
    }

    private init(known text: String) {
        var words: [4 of UInt64] = [0, 0, 0, 0]
        for (place, byte) in text.utf8.enumerated() {
            words[place / 8] |= UInt64(byte) << UInt64(8 * (place % 8))
        }
        self.words = words
    }

    /// Whether both are the same zone by name.
    public static func == (left: TimeZoneName, right: TimeZoneName) -> Bool {
        (0..<4).allSatisfy { left.words[$0] == right.words[$0] }
    }

    /// Feeds all characters.
    public func hash(into hasher: inout Hasher) {
        for place in 0..<4 { hasher.combine(words[place]) }
    }

    /// Where clocks show Coordinated Universal Time.
    public static let utc = TimeZoneName(known: "UTC")

    /// The characters.
    public var description: String { text }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

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
