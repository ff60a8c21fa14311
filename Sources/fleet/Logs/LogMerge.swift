/// Brings the lines of several logs into the order of their times.
///
/// The lines of one log always keep theirs: one without a time, or with an earlier one than the line before
/// it, belongs to that line.
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

    /// The lines of those logs, each of which goes on where it was at the last call.
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
