import UserText

/// Merges the lines of several logs by time.
///
/// The lines of one log keep their order: a line without a time, or with an earlier time than the line before
/// it, stays after that line.
struct LogMerge: Sendable {
    private struct Key: Comparable {
        let time: String
        let log: Int
        let line: Int

        static func < (left: Key, right: Key) -> Bool {
            (left.time, left.log, left.line) < (right.time, right.log, right.line)
        }
    }

    private var lastTimes: [String: String] = [:]

    /// Merges lines of the given logs, each of which continues after its last call.
    mutating func merged(_ logs: [(name: String, lines: [String])]) -> [LogEntry] {
        var keyed: [(key: Key, entry: LogEntry)] = []
        for (log, (name, lines)) in logs.enumerated() {
            var last = lastTimes[name, default: ""]
            for (line, text) in lines.enumerated() {
                last = max(last, LogEntry.time(of: text) ?? last)
                keyed.append((Key(time: last, log: log, line: line), LogEntry(name: name, text: text)))
            }
            lastTimes[name] = last
        }
        return keyed.sorted { $0.key < $1.key }.map(\.entry)
    }
}

/// One line of a process's log.
struct LogEntry: Equatable, Sendable {
    let name: String
    /// The line without its line feed.
    let text: String

    /// The time at the start of a line, as `2026-01-31T12:00:00.123Z`; nil if there is none.
    ///
    /// The text order of such times is their time order.
    static func time(of line: String) -> String? {
        let start = Substring(line.utf8.prefix(24))
        return TimeText.moment(iso8601: start).map { _ in String(start) }
    }
}
