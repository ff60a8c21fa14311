public import Logging
import Stepping
import Synchronization

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
