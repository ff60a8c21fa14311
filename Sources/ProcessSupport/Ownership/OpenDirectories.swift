package import FleetProtocol
import FoundationEssentials
import Glibc
import Synchronization

/// The directories that this process has opened, each once, until it ends. A path below
/// `/proc/self/fd/NUMBER` leads to a file of the open directory in every system call and library that takes a
/// path, as `openat` does. It stays right when the directory is renamed or replaced.
enum OpenDirectories {
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private static let prefix = "/proc/self/fd/"
    /// `O_PATH`, which Swift's Glibc lacks: the directory need not be readable.
    private static let asPlace: Int32 = 0o10_000_000
    private static let descriptors = Mutex<[Identity: Int32]>([:])

    /// Opens a directory, and returns the path that leads to it from now on; `/proc` must be mounted.
    static func path(of directory: String) throws(RuntimeError) -> String {
        let opened = open(directory.isEmpty ? "/" : directory, asPlace | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .lastError("open", directory) }
        guard let status = FileStatus(of: opened) else { throw .lastError("look at", directory) }
        let identity = Identity(device: status.device, inode: status.inode)
        let descriptor = descriptors.withLock { known in
            if let known = known[identity] {
                close(opened)
                return known
            }
            known[identity] = opened
            return opened
        }
        let path = "\(prefix)\(descriptor)"
        guard FileStatus(following: path)?.isDirectory == true else { throw .lastError("use", path) }
        return path
    }

    /// Returns the present path of an open directory, with ` (deleted)` after it was removed; nil for any
    /// other path.
    static func target(of path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    }

    /// Returns a text with the present paths of open directories in place of their descriptors.
    static func named(in text: String) -> String {
        guard text.contains(prefix) else { return text }
        var parts = text.split(separator: prefix, omittingEmptySubsequences: false)[...]
        return parts.removeFirst()
            + parts.map { part in
                let number = part.prefix(while: \.isNumber)
                return (target(of: prefix + number) ?? prefix + number) + part.dropFirst(number.count)
            }.joined()
    }
}

extension RunDirectory {
    /// Opens the directory: its files are then found in it, also after its path was renamed or replaced. The
    /// process keeps the directory open until it ends, and checks the path with ``confirm()``.
    public func opened() throws(RuntimeError) -> RunDirectory {
        try check()
        return RunDirectory(path: path, root: try OpenDirectories.path(of: path))
    }

    /// Checks that the path still leads to the directory that this process has opened.
    public func confirm() throws(RuntimeError) {
        guard isPresent else {
            throw .lostDirectory(path: path, open: OpenDirectories.target(of: root) ?? root)
        }
    }

    /// Whether the path leads to the directory that this process has opened.
    public var isPresent: Bool {
        FileStatus(following: root)?.isSameFile(as: FileStatus(of: path)) == true
    }
}

/// When a process checks whether its files are still its own: whether its run directory has been replaced, or
/// another process has taken its journal. A process that was stopped, or whose machine was, does not know
/// that another one has replaced it. While a machine sleeps, only its wall clock advances.
package struct OwnerCheck {
    /// The time after which a check is due, also before the first message after an absence.
    package static let interval = Duration.seconds(1)

    private var last: Moment?

    package init() {}

    /// Returns whether a check is due, and begins the next interval if it is.
    package mutating func isDue(at now: Moment) -> Bool {
        if let last {
            let byWall = last.wall.duration(to: now.wall)
            let isRecent = last.monotonic.duration(to: now.monotonic) < Self.interval
            if isRecent, byWall >= .zero, byWall < Self.interval { return false }
        }
        last = now
        return true
    }
}
