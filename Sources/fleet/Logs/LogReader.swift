import FoundationEssentials
import ProcessSupport
import UserText

/// Reads the logs of a run directory: of one process, or of all, merged by time.
struct LogReader: Sendable {
    /// The maximum number of logs that are read; a fleet has 66 processes.
    static let logLimit = 256

    private let directory: RunDirectory
    private let wanted: String?
    private var files: [String: LogFile] = [:]
    private var merge = LogMerge()

    init(_ directory: RunDirectory, of wanted: String?) {
        (self.directory, self.wanted) = (directory, wanted)
    }

    /// The names of the processes that have a log, sorted; empty if the directory cannot be read.
    static func names(in directory: RunDirectory) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory.logDirectory)) ?? []
        let logs = entries.filter { $0.hasSuffix(".log") && !$0.hasPrefix(".") }
        return Array(logs.map { String($0.dropLast(".log".count)) }.sorted().prefix(logLimit))
    }

    mutating func tail(_ count: Int, moreIsToCome: Bool) -> [LogEntry] {
        let logs = read { $0.tail(count, moreIsToCome: moreIsToCome) }
        return merge.merged(logs).suffix(count)
    }

    /// Returns the lines since the last call, including those of new logs.
    mutating func added() -> [LogEntry] {
        let logs = read { $0.added() }
        return merge.merged(logs)
    }

    private mutating func read(_ lines: (inout LogFile) -> [String]) -> [(name: String, lines: [String])] {
        let names = wanted.map { [$0] } ?? Self.names(in: directory)
        return names.map { name in
            var file = files[name] ?? LogFile(path: directory.logFile(of: name))
            defer { files[name] = file }
            return (name, lines(&file))
        }
    }
}

/// Merges the lines of several logs by time. The lines of one log keep their order: a line without a time, or
/// with an earlier time than the line before it, stays after that line.
struct LogMerge: Sendable {
    private var lastTimes: [String: String] = [:]

    /// Merges lines of the given logs, each of which continues after its last call.
    mutating func merged(_ logs: [(name: String, lines: [String])]) -> [LogEntry] {
        var placed: [(time: String, log: Int, line: Int, entry: LogEntry)] = []
        for (log, (name, lines)) in logs.enumerated() {
            var last = lastTimes[name, default: ""]
            for (line, text) in lines.enumerated() {
                last = max(last, LogEntry.time(of: text) ?? last)
                placed.append((last, log, line, LogEntry(name: name, text: text)))
            }
            lastTimes[name] = last
        }
        return placed.sorted { ($0.time, $0.log, $0.line) < ($1.time, $1.log, $1.line) }.map(\.entry)
    }
}

struct LogEntry: Equatable, Sendable {
    let name: String
    /// The line without its line feed.
    let text: String

    /// The time at the start of a line, as `2026-01-31T12:00:00.123Z`; nil if there is none. The text order
    /// of such times is their time order.
    static func time(of line: String) -> String? {
        let start = Substring(line.utf8.prefix(24))
        return TimeText.moment(iso8601: start).map { _ in String(start) }
    }
}
