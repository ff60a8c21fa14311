import FleetProtocol
import Glibc
import ProcessSupport

/// Reads the messages of a fleet's supervisor, and the errors that earlier observers of the fleet have shown.
struct FleetLog: Sendable {
    /// The most lines of each log that are read at first.
    private static let linesAtMost = 4_000

    private let processID: Int32
    private var supervisor: LogFile
    private var observer: LogFile

    init(in directory: RunDirectory, supervisedBy processID: Int32) {
        self.processID = processID
        supervisor = LogFile(path: directory.logFile(of: "supervisor"))
        observer = LogFile(path: directory.logFile(of: "observer"))
    }

    /// Returns the messages since the supervisor's start, oldest first; called once, before ``added()``.
    mutating func past() -> [EventLine] {
        let logged = Self.lines(supervisor.tail(Self.linesAtMost, moreIsToCome: true))
        let mark = SupervisorLogMark.text(of: processID)
        let start = logged.lastIndex { $0.text == mark }
        let present = start.map { logged[$0...].dropFirst() } ?? logged[...]
        let shown = Self.lines(observer.tail(Self.linesAtMost, moreIsToCome: true))
        let earliest = start.map { logged[$0].at }
        let earlier = shown.filter { line in earliest.map { line.at >= $0 } ?? false }
        return (present + earlier).enumerated().sorted {
            ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
        }.map(\.element.message)
    }

    mutating func added() -> [EventLine] { Self.lines(supervisor.added()).map(\.message) }

    private static func lines(_ texts: [String]) -> [ProcessLogLine] { texts.compactMap(ProcessLogLine.init) }
}

/// Stores the errors that a fleet's observer shows, so that the next observer shows them if this one is
/// killed.
struct ErrorLog: Sendable {
    private static let linesPerSecond = 50

    private let file: AppendedLog
    private var budget = LineBudget(linesPerSecond: linesPerSecond)

    init(in directory: RunDirectory) {
        file = AppendedLog(path: directory.logFile(of: "observer"), process: "observer")
    }

    /// Writes errors, at most fifty a second; of others it writes only the number.
    mutating func append(_ errors: [EventLine], at now: MonotonicTime) {
        for error in errors {
            guard let missing = budget.spend(at: now) else { continue }
            if missing > 0 { file.append("\(missing) errors omitted", isError: true, at: error.at) }
            file.append(error.text, isError: true, at: error.at)
        }
    }
}

/// The file of `--log`, to which every message of the log is appended.
struct MessageFile: Sendable {
    private let path: String
    /// The open file; nil after a failed write, so that one failure is reported once.
    private var descriptor: Int32?

    /// Opens or creates the file; the process closes it at its end.
    init(path: String) throws(RuntimeError) {
        self.path = path
        descriptor = try OwnFile.openIfPresent(path, O_WRONLY | O_APPEND | O_CREAT, isGiven: true)
        if descriptor == nil { throw .system(operation: "open", path: path, errno: ENOENT) }
    }

    /// Appends messages, a line each. Returns why the file could not be written, for the screen; later
    /// messages are not written then.
    mutating func append(_ messages: [EventLine]) -> String? {
        guard let descriptor, !messages.isEmpty else { return nil }
        var lines: [UInt8] = []
        for message in messages { message.appendLogLine(to: &lines) }
        var rest = lines[...]
        while !rest.isEmpty {
            let count = uninterrupted {
                rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            }
            guard count > 0 else {
                let why = String(cString: strerror(errno))
                close(descriptor)
                self.descriptor = nil
                return
                    "cannot write to \(path): \(why). Further messages are not written; start the observer again."
            }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
