import Wording

/// What a check of `fleet doctor` found.
struct Finding: Equatable, Sendable {
    /// How bad it is.
    enum Level: String, CaseIterable, Sendable {
        /// As it should be.
        case ok
        /// The fleet works, though not as well as it could.
        case warning
        /// Something does not work.
        case problem
    }

    /// How bad it is.
    let level: Level
    /// What was looked at.
    let subject: String
    /// What was found.
    let text: String
    /// How to mend it; empty where there is nothing to mend.
    let advice: String

    /// As it should be.
    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(level: .ok, subject: subject, text: text, advice: "")
    }

    /// Not as good as it could be.
    static func warning(_ subject: String, _ text: String, mend advice: String) -> Finding {
        Finding(level: .warning, subject: subject, text: text, advice: advice)
    }

    /// Something does not work.
    static func problem(_ subject: String, _ text: String, mend advice: String) -> Finding {
        Finding(level: .problem, subject: subject, text: text, advice: advice)
    }

    /// The line for scripts.
    var json: JSONValue {
        [
            "level": .string(level.rawValue), "subject": .string(subject), "text": .string(text),
            "advice": advice.isEmpty ? .null : .string(advice),
        ]
    }

    /// The lines for people: how to mend it stands below.
    var lines: [String] {
        let word = level.rawValue
        let padding = String(repeating: " ", count: 9 - word.utf8.count)
        let line = "\(word)\(padding)\(SafeText.of(subject)): \(SafeText.of(text))"
        return advice.isEmpty ? [line] : [line, "         \(SafeText.of(advice))"]
    }
}
