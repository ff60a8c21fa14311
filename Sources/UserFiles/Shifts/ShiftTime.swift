import FleetProtocol
import UserText

enum ShiftTime: Equatable {
    /// Why a time is invalid, and what to write.
    struct Problem: Error, Equatable {
        let what: String
    }

    /// A time with its offset from UTC.
    case moment(WallTime)
    case local(LocalMoment)
    case timeOfDay(LocalTime)

    /// Parses `2026-11-23 22:00`, optionally with seconds; ISO 8601 with an offset; or `06:00`.
    init(_ text: String) throws(Problem) {
        if let time = LocalTime(text) {
            self = .timeOfDay(time)
            return
        }
        var digits = Digits(text)
        guard let local = digits.readMoment() else { throw Self.unreadable(text) }
        if digits.isAtEnd {
            self = .local(local)
        } else if let east = digits.readOffset(), digits.isAtEnd {
            self = .moment(WallTime(unixMilliseconds: local.milliseconds - east))
        } else {
            throw Self.unreadable(text)
        }
    }

    /// Returns the time as an instant; the beginning of the shift is given for its end. Fails for a local
    /// time that the clock never shows, and for a time of day without a date.
    func time(
        after beginning: WallTime?, by clock: ZoneClock, note: (String) -> Void
    ) throws(Problem) -> WallTime {
        switch self {
        case .moment(let time): return time
        case .local(let local): return try Self.time(local, by: clock, note: note)
        case .timeOfDay(let time):
            guard let beginning else {
                throw Problem(what: "\(time) has no date; write it with the date, as in 2026-11-23 \(time)")
            }
            return try Self.time(time, after: beginning, by: clock, note: note)
        }
    }

    /// Returns the next time at which the clock shows a local time; of two, the second if the first is over.
    private static func time(
        _ time: LocalTime, after beginning: WallTime, by clock: ZoneClock, note: (String) -> Void
    ) throws(Problem) -> WallTime {
        let start = clock.local(beginning)
        if case .twice(let first, let second) = clock.reading(start.at(time)), first <= beginning,
            beginning < second
        {
            return second
        }
        return try Self.time(start.next(time), by: clock, note: note)
    }

    private static func time(
        _ local: LocalMoment, by clock: ZoneClock, note: (String) -> Void
    ) throws(Problem) -> WallTime {
        switch clock.reading(local) {
        case .once(let time): return time
        case .twice(let first, let second):
            note(
                "\(local) occurs twice in \(clock.zone), and the first is used; the second is written "
                    + TimeText.iso8601(second))
            return first
        case .never(let instead):
            throw Problem(
                what: "\(local) does not exist in \(clock.zone), where clocks are set forward then; write "
                    + "\(instead)")
        }
    }

    private static func unreadable(_ text: String) -> Problem {
        Problem(
            what: "'\(SafeText.of(text))' is not a time; write 2026-11-23 22:00, or 2026-11-23T22:00+01:00, "
                + "or the end as a time of day, 06:00")
    }
}

private struct Digits {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// Parses a date and a time, to the minute, the second or the millisecond.
    mutating func readMoment() -> LocalMoment? {
        guard let year = readNumber(4), consume("-"), let month = readNumber(2), consume("-"),
            let day = readNumber(2), consume(" ") || consume("T"), let hour = readNumber(2), hour < 24,
            consume(":"),
            let minute = readNumber(2), minute < 60
        else { return nil }
        var milliseconds = 0
        if consume(":") {
            guard let second = readNumber(2), second < 60 else { return nil }
            milliseconds = second * 1_000
            if consume(".") {
                guard let part = readNumber(3) else { return nil }
                milliseconds += part
            }
        }
        return LocalMoment(
            year: year, month: month, day: day,
            millisecondOfDay: Int64((hour * 60 + minute) * 60_000 + milliseconds))
    }

    /// Parses an offset into milliseconds east of UTC: `Z`, `+01:00` or `+0100`.
    mutating func readOffset() -> Int64? {
        if consume("Z") { return 0 }
        let isWest = consume("-")
        guard isWest || consume("+"), let hours = readNumber(2), hours < 24 else { return nil }
        _ = consume(":")
        guard let minutes = readNumber(2), minutes < 60 else { return nil }
        return Int64((hours * 60 + minutes) * 60_000) * (isWest ? -1 : 1)
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func readNumber(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
        rest.removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
