import DeviceCore

extension ScenarioReader {
    /// Reads a time of day: `"08:30"`, with or without quotes.
    mutating func timeOfDay(_ entry: Entry?) -> Scenario.TimeOfDay? {
        scalar(entry, #"a time of day from "00:00" to "23:59""#) { text, _ in Self.timeOfDay(text) }
    }

    /// Reads a name of printable characters.
    mutating func name(_ entry: Entry?) -> String? {
        let limit = ScenarioLimits.nameCharacters
        return printable(entry, "1 to \(limit) printable characters") { text in
            // Check the bytes first, so that counting characters is bounded.
            text.utf8.count <= 4 * limit && text.count <= limit ? text : nil
        }
    }

    /// Reads the description of a scenario; line breaks become spaces.
    mutating func about(_ entry: Entry?) -> String? {
        let limit = ScenarioLimits.aboutCharacters
        return printable(entry, "1 to \(limit) printable characters") { text in
            let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return line.count <= limit ? line : nil
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
