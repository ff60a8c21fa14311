import FoundationEssentials
import ProcessSupport

/// Reads the logs of a run directory: of one process, or of all, merged by time.
struct LogReader: Sendable {
    /// The maximum number of logs that are read; a fleet has 66 processes.
    static let logLimit = 256

    private let directory: RunDirectory
    private let wanted: String?
    private var files: [String: LogFile] = [:]
    private var merge = LogMerge()

    /// A reader of one process's log, or of every log for nil.
    init(_ directory: RunDirectory, of wanted: String?) {
        (self.directory, self.wanted) = (directory, wanted)
    }

    /// The names of the processes that have a log, sorted; empty if the directory cannot be read.
    ///
    /// Each is an entry of the directory, so none leads out of it.
    static func names(in directory: RunDirectory) -> [String] {
        do {
            let entries = try FileManager.default.contentsOfDirectory(atPath: directory.logDirectory)
            let logs = entries.filter { $0.hasSuffix(".log") && !$0.hasPrefix(".") }
            return Array(logs.map { String($0.dropLast(".log".count)) }.sorted().prefix(logLimit))
        } catch {
            return []
        }
    }

    /// Returns the last lines.
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
