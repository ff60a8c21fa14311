public import FleetProtocol
import Glibc
public import Logging
import Synchronization
import UserText

/// The log output of a process, on its standard error.
public enum Logs {
    /// The names of the levels, for help texts.
    public static let levelNames = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")

    /// The level of a name.
    public static func level(named name: String) throws(RuntimeError) -> Logger.Level {
        guard let level = Logger.Level(rawValue: name) else {
            throw .invalidValue(name, of: "log level", allowed: "use one of \(levelNames)")
        }
        return level
    }

    /// Sends every log message of the process to its standard error, one line each: `2026-01-31T12:00:00.123Z
    /// info controller: journal opened epoch=7`. Call it once in a process, before the first logger is made.
    public static func bootstrap(process: String, level: Logger.Level = .info) {
        let clock = SystemClock()
        LoggingSystem.bootstrap { _ in
            LineLogHandler(process: process, logLevel: level, now: { clock.now().wall }, write: write)
        }
    }

    /// Bounds the log of the process, if its standard error goes to that file: see ``RotatingLog``.
    public static func bound(_ path: String) { rotating.withLock { $0 = RotatingLog(path: path) } }

    /// Writes whole lines to standard error, in one call, so that lines of several threads never mix. A line
    /// that cannot be written is lost. An open directory has its present path, not its descriptor.
    public static func write(_ lines: String) {
        let lines = OpenDirectories.named(in: lines)
        guard let log = rotating.withLock({ $0 }) else {
            return TextOutput.standardError.writeIgnoringErrors(lines)
        }
        log.write(lines)
    }

    /// Writes a message for people; in a log that the process bounds, as a line of the supervisor.
    public static func notify(_ message: String) {
        guard rotating.withLock({ $0 != nil }) else { return write("\(message)\n") }
        let handler = LineLogHandler(
            process: "supervisor", logLevel: .info, now: { SystemClock().now().wall }, write: write)
        Logger(label: "supervisor") { _ in handler }.info("\(message.trimmingPrefix("fleet: "))")
    }

    private static let rotating = Mutex<RotatingLog?>(nil)
}

/// Formats each log message as one line.
struct LineLogHandler: LogHandler {
    let process: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    let now: @Sendable () -> WallTime
    /// Writes a line, which includes its line feed.
    let write: @Sendable (String) -> Void

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line = "\(TimeText.iso8601(now())) \(event.level) \(process): \(Self.oneLine("\(event.message)"))"
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { _, provided in provided }
        all.merge(event.metadata ?? [:]) { _, own in own }
        if let error = event.error { all["error"] = "\(error)" }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            line += " \(Self.oneLine(key))=\(Self.quoted("\(value)"))"
        }
        write(line + "\n")
    }

    /// Returns the text with its control characters escaped, so that a value cannot forge a log line.
    private static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            line += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    /// Returns the text, in quotes if it is empty or contains a space, a quote or an equals sign.
    private static func quoted(_ text: String) -> String {
        let needsQuotes = text.isEmpty || text.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        guard needsQuotes else { return oneLine(text) }
        let escaped = text.reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : String($1) }
        return "\"\(oneLine(escaped))\""
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029: true
        default: false
        }
    }
}

/// Splits a stream of bytes into lines.
package struct LineSplitter: Sendable {
    /// The most bytes in one line; a longer line is split into several.
    package static let limitBytes = 64 * 1_024

    private var rest: [UInt8] = []

    package init() {}

    /// Adds bytes, and returns the lines that they complete.
    package mutating func append(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(drainRest())
            } else {
                rest.append(byte)
                if rest.count == Self.limitBytes { lines.append(drainRest()) }
            }
        }
        return lines
    }

    /// Returns the rest of the input after the last line feed; nil when it is empty.
    package mutating func finish() -> String? { rest.isEmpty ? nil : drainRest() }

    private mutating func drainRest() -> String {
        defer { rest.removeAll(keepingCapacity: true) }
        return String(decoding: rest, as: UTF8.self)
    }
}

/// Limits the log lines of one kind to a number per second, so that a repeated event cannot fill the disk.
public struct LineBudget: Sendable {
    private let linesPerSecond: Int
    private var secondBeganAt: MonotonicTime?
    private var writtenLines = 0
    private var suppressed = 0

    /// A budget of that many lines a second.
    public init(linesPerSecond: Int) { self.linesPerSecond = linesPerSecond }

    /// Spends one line of the budget. Returns the number of lines suppressed since the last one; nil when
    /// this line is suppressed, too.
    public mutating func spend(at now: MonotonicTime) -> Int? {
        if secondBeganAt.map({ $0.duration(to: now) >= .seconds(1) }) ?? true {
            (secondBeganAt, writtenLines) = (now, 0)
        }
        guard writtenLines < linesPerSecond else {
            suppressed += 1
            return nil
        }
        writtenLines += 1
        defer { suppressed = 0 }
        return suppressed
    }
}

/// The first line that a supervisor writes to its log; the lines before it are of earlier fleets.
package enum SupervisorLogMark {
    package static func text(of processID: Int32) -> String { "started, pid \(processID)" }
}
