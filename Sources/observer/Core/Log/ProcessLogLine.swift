import FleetProtocol
import UserText

/// A line of a process's log, as `Logs` writes it: `2026-01-31T12:00:00.123Z error supervisor: …`.
struct ProcessLogLine: Sendable, Equatable {
    let at: WallTime
    let level: String
    let process: String
    let text: String

    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, let at = TimeText.moment(iso8601: parts[0]), parts[2].hasSuffix(":") else {
            return nil
        }
        self.at = at
        level = String(parts[1])
        process = String(parts[2].dropLast())
        self.text = String(parts[3])
    }

    /// The line as a message of the screen; from level `warning` on it is an error.
    var message: EventLine {
        let isError = ["warning", "error", "critical"].contains(level)
        return EventLine(at: at, tone: isError ? .failure : .neutral, text: SafeText.of(text))
    }
}
