import ArgumentParser
import FleetProtocol
import Wording

extension Weekdays {
    /// The days that words spell, comma after comma: `mon`, `monday`, or from one to another, `mon-fri`.
    ///
    /// - Throws: `ValidationError` that names the word and what is allowed.
    static func parse(_ text: String) throws -> Weekdays {
        var days = Weekdays()
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(Weekday.init(word:))
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends.last ?? nil else {
                throw ValidationError(
                    "'\(part)' is no day of the week: write mon, tue, wed, thu, fri, sat, sun, or mon-fri, "
                        + "with commas between")
            }
            // Over Sunday, too: from Friday to Monday are four.
            let count = (Int(last.rawValue) - Int(first.rawValue) + 7) % 7
            let week = Weekday.allCases + Weekday.allCases
            days.formUnion(Weekdays(week[Int(first.rawValue)...Int(first.rawValue) + count]))
        }
        return days
    }
}

extension Weekday {
    /// The day of that name, or of its first three letters, in lower case.
    fileprivate init?(word: Substring) {
        guard let day = Self.allCases.first(where: { $0.name == word || $0.name.prefix(3) == word }) else {
            return nil
        }
        self = day
    }
}

extension LocalTime {
    /// The time that a text spells.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> LocalTime {
        guard let time = LocalTime(text) else {
            throw ValidationError("'\(text)' is no time of day: write 00:00 to 23:59")
        }
        return time
    }
}

extension TimeZoneName {
    /// The zone that a text names.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> TimeZoneName {
        guard let zone = TimeZoneName(text) else {
            throw ValidationError("'\(text)' is no time zone: write UTC, or a name such as Europe/Oslo")
        }
        return zone
    }
}

extension ScheduleID {
    /// The id that a text spells.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> ScheduleID {
        guard let id = ScheduleID(text) else {
            throw ValidationError("'\(text)' is no id of a schedule: `fleet schedule DEVICE` shows them")
        }
        return id
    }
}
