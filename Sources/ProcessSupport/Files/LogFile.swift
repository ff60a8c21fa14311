package import FleetProtocol
import Glibc
import Logging
import Synchronization

/// A reader of one log: first of its last lines, then of those that are added. It opens the log for each
/// read. A log that was truncated or replaced is read from its start; one that was renamed, as
/// ``RotatingLog`` does, is read to its end before its successor.
package struct LogFile: Sendable {
    static let lookBytes = 1 << 20
    /// The distance from the end within which the last lines are searched.
    static let tailBytes = 16 << 20
    private static let blockBytes = 64 * 1_024

    package let path: String

    private var offset = 0
    private var inode: UInt64 = 0
    private var splitter = LineSplitter()

    package init(path: String) { self.path = path }

    /// Returns the last lines; a last line without a line feed is included unless more is expected.
    package mutating func tail(_ count: Int, moreIsToCome: Bool) -> [String] {
        var lines: [String] = []
        if let descriptor = openCurrent() {
            defer { close(descriptor) }
            lines = tail(count, of: descriptor, moreIsToCome: moreIsToCome)
        }
        for path in RotatingLog.olderFiles(of: path) where lines.count < count {
            var older = LogFile(path: path)
            guard let descriptor = older.openCurrent() else { continue }
            defer { close(descriptor) }
            lines = older.tail(count - lines.count, of: descriptor, moreIsToCome: false) + lines
        }
        return lines
    }

    private mutating func tail(_ count: Int, of descriptor: Int32, moreIsToCome: Bool) -> [String] {
        let size = max(0, lseek(descriptor, 0, SEEK_END))
        offset = Self.start(ofLast: count, in: descriptor, size: size)
        var lines = lookToEnd(of: descriptor, at: size)
        if !moreIsToCome, count > 0, let rest = splitter.finish() { lines.append(rest) }
        return lines.suffix(count)
    }

    /// Returns the lines that were completed since the last read, up to a bound.
    package mutating func added() -> [String] {
        guard let descriptor = Self.open(path) else { return [] }
        defer { close(descriptor) }
        let missed = catchUp(to: descriptor)
        begin(descriptor)
        return missed + look(into: descriptor)
    }

    /// Returns the rest of the file that was read last, if it was renamed since, and of newer renamed files.
    private mutating func catchUp(to current: Int32) -> [String] {
        guard inode != 0, Self.inode(of: current) != inode else { return [] }
        let older = RotatingLog.olderFiles(of: path).compactMap(Self.open)
        defer { for descriptor in older { close(descriptor) } }
        guard let place = older.firstIndex(where: { Self.inode(of: $0) == inode }) else { return [] }
        return older[...place].reversed().flatMap { descriptor -> [String] in
            // The current file can be renamed at any moment.
            guard Self.inode(of: descriptor) != Self.inode(of: current) else { return [] }
            begin(descriptor)
            return lookToEnd(of: descriptor, at: .max)
        }
    }

    private mutating func openCurrent() -> Int32? {
        guard let descriptor = Self.open(path) else { return nil }
        begin(descriptor)
        return descriptor
    }

    /// Opens a file for reading; nil for a missing one, a link or another kind of file.
    private static func open(_ path: String) -> Int32? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        guard FileStatus(of: descriptor)?.isRegularFile == true else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func inode(of descriptor: Int32) -> UInt64 { FileStatus(of: descriptor)?.inode ?? 0 }

    /// Continues at the last position of the file, or at the start of a new or truncated one.
    private mutating func begin(_ descriptor: Int32) {
        let found = Self.inode(of: descriptor)
        if found != inode || lseek(descriptor, 0, SEEK_END) < offset {
            (offset, inode, splitter) = (0, found, LineSplitter())
        }
    }

    private mutating func lookToEnd(of descriptor: Int32, at size: Int) -> [String] {
        var lines: [String] = []
        while offset < size {
            let before = offset
            lines += look(into: descriptor)
            if offset == before { break }
        }
        return lines
    }

    private mutating func look(into descriptor: Int32) -> [String] {
        var lines: [String] = []
        var block = [UInt8](repeating: 0, count: Self.blockBytes)
        for _ in 0..<(Self.lookBytes / Self.blockBytes) {
            let count = pread(descriptor, &block, block.count, offset)
            guard count > 0 else { break }
            offset += count
            lines += splitter.append(block[..<count])
        }
        return lines
    }

    /// Returns the offset of the last lines: after the line feed before them.
    private static func start(ofLast count: Int, in descriptor: Int32, size: Int) -> Int {
        guard count > 0 else { return size }
        var block = [UInt8](repeating: 0, count: blockBytes)
        var newlines = 0
        var end = size
        while end > max(0, size - tailBytes) {
            let start = max(0, end - blockBytes)
            guard pread(descriptor, &block, end - start, start) == end - start else { return size }
            for index in (0..<(end - start)).reversed() where block[index] == UInt8(ascii: "\n") {
                // The line feed at the end of the file ends the last line, and starts no other.
                if start + index == size - 1 { continue }
                newlines += 1
                if newlines == count { return start + index + 1 }
            }
            end = start
        }
        return end
    }
}

/// A log file of a process whose output is a terminal: lines in the form of ``Logs``, in rotated files with
/// the bounds of ``RotatingLog``.
package final class AppendedLog: Sendable {
    private let path: String
    private let process: String
    private let limitBytes: Int
    /// Locked while a line is written, so that no line is written to a file that was renamed.
    private let writing = Mutex(())

    package init(path: String, process: String, limitBytes: Int = RotatingLog.usualLimitBytes) {
        (self.path, self.process, self.limitBytes) = (path, process, limitBytes)
    }

    /// Appends a line; a line that cannot be written is dropped.
    package func append(_ text: String, isError: Bool, at time: WallTime) {
        let logger = Logger(label: process) { process in
            LineLogHandler(process: process, logLevel: .info, now: { time }, write: self.write)
        }
        logger.log(level: isError ? .error : .info, "\(text)")
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

/// The log of a process, to which its standard error is redirected: a bounded chain of files.
///
/// When `NAME.log` has 16 MiB it is renamed to `NAME.log.1`, that one to `NAME.log.2`, and so on up to
/// `NAME.log.3`, which is replaced. The process that writes renames the files, between two lines. So a line
/// is lost only with the oldest file.
package final class RotatingLog: Sendable {
    /// The size at which a file is renamed, bytes.
    static let usualLimitBytes = 16 << 20
    static let olderFilesAtMost = 3

    private let path: String
    private let limitBytes: Int
    /// The number of bytes that this process has written to the file.
    private let size: Mutex<Int>

    /// Manages a log; nil if the process's standard error does not go to that file.
    init?(path: String, limitBytes: Int = usualLimitBytes) {
        guard let open = FileStatus(of: STDERR_FILENO), open.isSameFile(as: FileStatus(of: path)) else {
            return nil
        }
        (self.path, self.limitBytes) = (path, limitBytes)
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

    /// Writes whole lines, and starts another file when this one is full.
    func write(_ lines: String) {
        size.withLock { size in
            TextOutput.standardError.writeIgnoringErrors(lines)
            size += lines.utf8.count
            guard size >= limitBytes else { return }
            beginFile()
            // If that failed, the next attempt follows after as many bytes.
            size = 0
        }
    }

    /// Renames the files, and redirects standard output and error to a new one. If the system refuses, lines
    /// still go to the open file.
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
