import Glibc
import Logging
package import Stepping
import Synchronization

/// A log file of a process whose output is a terminal: lines in the form of ``Logs``, in rotated files with
/// the bounds of ``RotatingLog``.
package final class AppendedLog: Sendable {
    private let path: String
    private let process: String
    private let limitBytes: Int
    /// Locked while a line is written, so that no line is written to a file that was renamed.
    private let writing = Mutex(())

    /// A log of a process.
    package init(path: String, process: String, limitBytes: Int = RotatingLog.usualLimitBytes) {
        self.path = path
        self.process = process
        self.limitBytes = limitBytes
    }

    /// Appends a line; a line that cannot be written is dropped.
    package func append(_ words: String, isError: Bool, at time: WallTime) {
        let logger = Logger(label: process) { process in
            LineLogHandler(process: process, logLevel: .info, now: { time }, write: self.write)
        }
        logger.log(level: isError ? .error : .info, "\(words)")
    }

    private func write(_ line: String) {
        writing.withLock { _ in
            let descriptor: Int32
            do throws(RuntimeError) {
                descriptor = try OwnFile.open(path, O_WRONLY | O_APPEND | O_CREAT)
            } catch {
                return
            }
            defer { close(descriptor) }
            let bytes = Array(line.utf8)
            _ = Glibc.write(descriptor, bytes, bytes.count)
            if FileStatus(of: descriptor)?.bytes ?? 0 >= limitBytes { RotatingLog.renameFiles(of: path) }
        }
    }
}
