import Glibc
import Synchronization

/// The log of a process, which its standard error goes to: a bounded chain of files.
///
/// When `NAME.log` has 16 MiB it is renamed to `NAME.log.1`, that one to `NAME.log.2`, and so on up to
/// `NAME.log.3`, which is replaced. The process that writes renames the files, between two lines. So a line
/// is lost only with the oldest file.
package final class RotatingLog: Sendable {
    /// The size at which a file is renamed, bytes.
    package static let usualLimitBytes = 16 << 20
    /// How many renamed files there are at most.
    static let olderFilesAtMost = 3

    private let path: String
    private let limitBytes: Int
    /// The size of the file as far as this process has written it, bytes.
    private let size: Mutex<Int>

    /// Takes charge of a log; nil where the process's standard error does not go to that file.
    init?(path: String, limitBytes: Int = usualLimitBytes) {
        guard let open = FileStatus(of: STDERR_FILENO), open.isSameFile(as: FileStatus(of: path)) else {
            return nil
        }
        self.path = path
        self.limitBytes = limitBytes
        size = Mutex(open.bytes)
    }

    /// The paths of renamed files of a log, the newest first.
    package static func olderFiles(of path: String) -> [String] {
        (1...olderFilesAtMost).map { "\(path).\($0)" }
    }

    /// Rotates the files of a log: each gets the name of the next older one, and the oldest is removed.
    static func renameFiles(of path: String) {
        let chain = [path] + olderFiles(of: path)
        for (newer, older) in zip(chain, chain.dropFirst()).reversed() { rename(newer, older) }
    }

    /// Writes whole lines, and begins another file when this one is full.
    func write(_ lines: String) {
        size.withLock { size in
            TextOutput.standardError.say(lines)
            size += lines.utf8.count
            guard size >= limitBytes else { return }
            beginFile()
            // Where that failed, the next attempt comes after as many bytes.
            size = 0
        }
    }

    /// Renames the files, and has standard output and error go to a new one.
    ///
    /// Where the system refuses, lines go on to the file that is open.
    private func beginFile() {
        Self.renameFiles(of: path)
        let descriptor: Int32
        do throws(RuntimeError) {
            descriptor = try OwnFile.open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL)
        } catch {
            return
        }
        defer { close(descriptor) }
        let former = FileStatus(of: STDERR_FILENO)
        for standard in [STDOUT_FILENO, STDERR_FILENO]
        where FileStatus(of: standard)?.isSameFile(as: former) == true { dup2(descriptor, standard) }
    }
}
