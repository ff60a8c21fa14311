import Glibc
public import Logging
public import Stepping
import Synchronization
import Wording

/// Where the log messages of a process go.
public enum Logs {
    /// The names of the levels, for help texts.
    public static let levelNames = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")

    /// The level of a name.
    ///
    /// - Throws: `invalidLogLevel` with the names that there are.
    public static func level(named name: String) throws(RuntimeError) -> Logger.Level {
        guard let level = Logger.Level(rawValue: name) else { throw .invalidLogLevel(name: name) }
        return level
    }

    /// Sends every log message of the process to its standard error, one line each:
    /// `2026-01-31T12:00:00.123Z info controller: journal opened epoch=7`.
    ///
    /// Once a process, before the first logger is made.
    public static func bootstrap(process: String, level: Logger.Level = .info) {
        let clock = SystemClock()
        LoggingSystem.bootstrap { _ in
            LineLogHandler(
                process: process, logLevel: level, now: { clock.now().wall }, write: write)
        }
    }

    /// Bounds the log of the process, if its standard error goes to that file: see ``RotatingLog``.
    public static func bound(_ path: String) {
        rotating.withLock { $0 = RotatingLog(path: path) }
    }

    /// Writes whole lines to standard error, in one call, so that lines of several threads never mix.
    ///
    /// A line that cannot be written is lost.
    public static func write(_ lines: String) {
        guard let log = rotating.withLock({ $0 }) else { return TextOutput.standardError.say(lines) }
        log.write(lines)
    }

    /// The log that the process bounds, if any.
    private static let rotating = Mutex<RotatingLog?>(nil)
}

/// Makes one line of each log message.
struct LineLogHandler: LogHandler {
    let process: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    /// The time, for the start of the line.
    let now: @Sendable () -> WallTime
    /// Takes a line with its end.
    let write: @Sendable (String) -> Void

    init(
        process: String, logLevel: Logger.Level, now: @escaping @Sendable () -> WallTime,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.process = process
        self.logLevel = logLevel
        self.now = now
        self.write = write
    }

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

    /// The text with its control characters written out, so that nobody can forge a line.
    private static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            line += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    /// The text in quotes where a reader could not tell its end.
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

/// Makes lines of bytes that arrive piece by piece.
package struct LineSplitter: Sendable {
    /// Bytes in one line; what is longer comes as several.
    package static let limitBytes = 64 * 1_024

    private var rest: [UInt8] = []

    /// A splitter without input so far.
    package init() {}

    /// The lines that are complete with those bytes.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(takeRest())
            } else {
                rest.append(byte)
                if rest.count == Self.limitBytes { lines.append(takeRest()) }
            }
        }
        return lines
    }

    /// What is there of a line that nobody has ended; nil for nothing.
    package mutating func finish() -> String? {
        rest.isEmpty ? nil : takeRest()
    }

    private mutating func takeRest() -> String {
        defer { rest.removeAll(keepingCapacity: true) }
        return String(decoding: rest, as: UTF8.self)
    }
}

/// Lets so many lines of one kind a second into the log, so that nobody fills the disk by doing something
/// again and again.
public struct LineBudget: Sendable {
    private let linesPerSecond: Int
    private var secondBeganAt: MonotonicTime?
    private var said = 0
    private var unsaid = 0

    /// A budget of that many lines a second.
    public init(linesPerSecond: Int) {
        self.linesPerSecond = linesPerSecond
    }

    /// Asks for a line.
    ///
    /// - Returns: How many were left out since the last one; nil: this one is left out too.
    public mutating func spend(at now: MonotonicTime) -> Int? {
        if secondBeganAt.map({ $0.duration(to: now) >= .seconds(1) }) ?? true {
            (secondBeganAt, said) = (now, 0)
        }
        guard said < linesPerSecond else {
            unsaid += 1
            return nil
        }
        said += 1
        defer { unsaid = 0 }
        return unsaid
    }
}

/// Where a process writes for whoever started it.
public struct TextOutput: Sendable {
    /// Nobody reads any more, or the output is broken in another way.
    public struct Gone: Error {
        /// The system's number for why.
        public let errno: Int32
    }

    /// Results.
    public static let standardOutput = TextOutput(descriptor: STDOUT_FILENO)
    /// Talk.
    public static let standardError = TextOutput(descriptor: STDERR_FILENO)

    private let descriptor: Int32

    /// Writes all of it, waiting for a slow reader.
    ///
    /// - Throws: ``Gone``.
    public func write(_ bytes: [UInt8]) throws(Gone) {
        var rest = bytes
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, rest, rest.count)
            if written >= 0 {
                rest.removeFirst(written)
            } else if errno == EAGAIN {
                // Somebody who shares the descriptor made it non-blocking.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                throw Gone(errno: errno)
            }
        }
    }

    /// Writes what nobody need read: that it could not be written is no reason to stop.
    public func say(_ words: String) {
        do {
            try write(Array(words.utf8))
        } catch {
            return
        }
    }
}

/// The first line that a supervisor writes to its log; the lines before it are of earlier fleets.
package enum SupervisorLogMark {
    /// Its words.
    package static func text(of processID: Int32) -> String { "started, pid \(processID)" }
}
