import DeviceCore
import SequenceFiles

extension ScenarioReader {
    /// A time of day: `"08:30"`, with quotes or without.
    mutating func timeOfDay(_ entry: Entry?) -> Scenario.TimeOfDay? {
        scalar(entry, #"a time of day from "00:00" to "23:59""#) { text, _ in Self.timeOfDay(text) }
    }

    /// A name, of which everything can be seen.
    mutating func name(_ entry: Entry?) -> String? {
        let limit = ScenarioLimits.nameCharacters
        return scalar(entry, "1 to \(limit) printable characters") { text, _ in
            // No more characters than bytes: counting stops at a bound.
            guard text.utf8.count <= 4 * limit, text.count <= limit, Self.isPrintable(text) else {
                return nil
            }
            return text
        }
    }

    /// What a scenario is for: a text over several lines becomes one.
    mutating func about(_ entry: Entry?) -> String? {
        let limit = ScenarioLimits.aboutCharacters
        return scalar(entry, "1 to \(limit) printable characters") { text, _ in
            let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard line.count <= limit, Self.isPrintable(line) else { return nil }
            return line
        }
    }

    static func timeOfDay(_ text: String) -> Scenario.TimeOfDay? {
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":"),
            let hour = twoDigits(digits[0], digits[1]), let minute = twoDigits(digits[3], digits[4])
        else { return nil }
        return Scenario.TimeOfDay(hour: hour, minute: minute)
    }

    private static func twoDigits(_ tens: UInt8, _ ones: UInt8) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard digits.contains(tens), digits.contains(ones) else { return nil }
        return Int(tens - digits.lowerBound) * 10 + Int(ones - digits.lowerBound)
    }
}
