import FleetProtocol

/// The rule by which a zone's offset changes each year: the value of `TZ` in POSIX, such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`, with the additional names and hours of RFC 9636.
struct ZoneRule: Equatable, Sendable {
    enum Day: Equatable {
        /// Counted from 1, without 29 February.
        case ofCommonYear(Int64)
        /// Counted from 0, with 29 February.
        case ofYear(Int64)
        /// The first to fourth such day of the week (from Sunday, 0) of a month; 5 for the last.
        case weekday(Int64, week: Int64, month: Int64)
    }

    /// A time of each year on clocks that show the offset from before it.
    struct Change: Equatable {
        let day: Day
        /// Seconds from the day's midnight, within a week of it.
        let second: Int64
    }

    /// The time of the year in which clocks are ahead.
    struct Summer: Equatable {
        let secondsEast: Int64
        let begin: Change
        let end: Change
    }

    let standard: Int64
    let summer: Summer?

    func secondsEast(at unixSeconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilDate(daysSince1970: unixSeconds.dividedDown(by: 86_400)).year
        // The last change before may be of the year before, and the local year may be the next.
        let changes = (year - 1...year + 1).flatMap { year in
            [
                (time: summer.end.localSeconds(in: year) - summer.secondsEast, offset: standard),
                (time: summer.begin.localSeconds(in: year) - standard, offset: summer.secondsEast),
            ]
        }
        // Where summer never ends, it begins again at the second of its end.
        let last = changes.filter { $0.time <= unixSeconds }.max {
            ($0.time, $0.offset == standard ? 0 : 1) < ($1.time, $1.offset == standard ? 0 : 1)
        }
        return last?.offset ?? standard
    }
}

extension ZoneRule.Change {
    fileprivate func localSeconds(in year: Int64) -> Int64 { days(in: year) * 86_400 + second }

    private func days(in year: Int64) -> Int64 {
        let newYear = firstDay(year, 1)
        switch day {
        case .ofYear(let day): return newYear + day
        case .ofCommonYear(let day):
            let isLeap = firstDay(year, 3) - newYear == 60
            return newYear + day - (isLeap && day >= 60 ? 0 : 1)
        case .weekday(let weekday, let week, let month):
            let first = firstDay(year, month)
            // 1970-01-01 was a Thursday.
            let date = first + (weekday - (first + 4) % 7 + 7) % 7 + (week - 1) * 7
            let next = month == 12 ? firstDay(year + 1, 1) : firstDay(year, month + 1)
            return date < next ? date : date - 7
        }
    }

    private func firstDay(_ year: Int64, _ month: Int64) -> Int64 {
        CivilDate(year: year, month: month, day: 1)?.daysSince1970 ?? 0
    }
}

extension ZoneRule {
    /// Reads a rule; nil if it has another form.
    init?(_ text: ArraySlice<UInt8>) {
        var text = RuleText(rest: text)
        guard text.skipName(), let west = text.offset() else { return nil }
        standard = -west
        guard !text.isAtEnd else {
            summer = nil
            return
        }
        guard text.skipName() else { return nil }
        var secondsEast = standard + 3_600
        if text.next != UInt8(ascii: ",") {
            guard let west = text.offset() else { return nil }
            secondsEast = -west
        }
        guard let begin = text.change(), let end = text.change(), text.isAtEnd else { return nil }
        summer = Summer(secondsEast: secondsEast, begin: begin, end: end)
    }
}

/// The rest of a rule's text; nil from each function that does not find its part.
private struct RuleText {
    var rest: ArraySlice<UInt8>

    var next: UInt8? { rest.first }
    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Skips letters, or anything in angle brackets, such as `<+03>`.
    mutating func skipName() -> Bool {
        if skip("<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let name = rest.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & 0xdf) }
        rest = rest[name.endIndex...]
        return !name.isEmpty
    }

    mutating func number(_ allowed: ClosedRange<Int64>) -> Int64? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest[digits.endIndex...]
        let number = digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        return allowed.contains(number) ? number : nil
    }

    /// Reads `[+-]hours[:minutes[:seconds]]` as seconds.
    mutating func time(_ hours: ClosedRange<Int64>) -> Int64? {
        let sign: Int64 = skip("-") ? -1 : 1
        if sign == 1 { _ = skip("+") }
        guard var seconds = number(hours).map({ $0 * 3_600 }) else { return nil }
        for unit: Int64 in [60, 1] where skip(":") {
            guard let part = number(0...59) else { return nil }
            seconds += part * unit
        }
        return sign * seconds
    }

    /// Reads an offset, which POSIX counts to the west.
    mutating func offset() -> Int64? { time(0...24) }

    /// Reads `,date[/time]`; the time is 02:00 unless given.
    mutating func change() -> ZoneRule.Change? {
        guard skip(","), let day = day() else { return nil }
        guard skip("/") else { return ZoneRule.Change(day: day, second: 7_200) }
        return time(0...167).map { ZoneRule.Change(day: day, second: $0) }
    }

    private mutating func day() -> ZoneRule.Day? {
        if skip("J") { return number(1...365).map { .ofCommonYear($0) } }
        guard skip("M") else { return number(0...365).map { .ofYear($0) } }
        guard let month = number(1...12), skip("."), let week = number(1...5), skip("."),
            let weekday = number(0...6)
        else { return nil }
        return .weekday(weekday, week: week, month: month)
    }
}
