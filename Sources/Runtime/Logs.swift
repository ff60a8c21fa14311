import Glibc
public import Logging
import Stepping

/// Where the log messages of a process go.
public enum Logs {
    /// Sends every log message of the process to its standard error, one line each:
    /// `2026-01-31T12:00:00.123Z info controller: journal opened epoch=7`.
    ///
    /// Once a process, before the first logger is made.
    public static func bootstrap(process: String, level: Logger.Level = .info) {
        let clock = SystemClock()
        LoggingSystem.bootstrap { _ in
            LineLogHandler(
                process: process, logLevel: level, now: { clock.now().wall }, write: writeToStandardError)
        }
    }

    // One call a line, so that lines of several threads never mix. A line that cannot be written is lost:
    // there is nowhere to say so.
    private static func writeToStandardError(_ line: String) {
        let bytes = Array(line.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
