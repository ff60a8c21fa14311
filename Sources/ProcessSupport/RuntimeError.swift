public import Bus
import Glibc

/// What keeps a process from starting, or a command from finding its fleet.
///
/// Each description says what failed, where, and why. It names no command and no option: the programs that
/// have these add which to use. Tokens and passwords never appear in it.
public enum RuntimeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No run directory was named, and there is none here or above.
    case noFleet(searched: String)
    /// The run directory, or the directory of its sockets, is no directory.
    case notDirectory(path: String)
    /// Others than its owner may enter the directory.
    case openToOthers(path: String, mode: UInt32)
    /// The directory is another user's.
    case foreignDirectory(path: String, owner: UInt32)
    /// A directory or link on the way to the path is another user's.
    case foreignParent(of: String, directory: String, owner: UInt32)
    /// Others may write to a directory on the way to the path.
    case writableParent(of: String, directory: String, mode: UInt32)
    /// A symbolic link is in the place of a file or directory.
    case symbolicLink(path: String)
    /// The file is another user's.
    case foreignFile(path: String, owner: UInt32)
    /// A directory, a device or a named pipe is in the place of a file.
    case notRegularFile(path: String)
    /// Others than its owner may read or write a file that holds a secret.
    case fileOpenToOthers(path: String, mode: UInt32)
    /// Another process holds the lock; nil when it has not written who it is.
    case locked(path: String, holder: Int32?)
    /// Nobody has logged in here.
    case noSession(path: String)
    /// The file is no session that was written here.
    case damagedSession(path: String)
    /// The file has not the length of a secret of nodes.
    case damagedSecret(path: String)
    /// The run directory remembers devices of another seed.
    case otherSeed(path: String, former: UInt64, wanted: UInt64)
    /// There is no such log level.
    case invalidLogLevel(name: String)
    /// There is no such durability.
    case invalidDurability(name: String)
    /// Nothing can be remembered that long, or as many.
    case invalidRetention(text: String, allowed: String)
    /// No memory limit is spelled that way, or allowed.
    case invalidMemoryLimit(text: String)
    /// The process has more memory than it may, in MiB.
    case tooMuchMemory(inUse: Int, limit: Int)
    /// The process may have too few files open.
    case tooFewDescriptors(limit: Int, needed: Int)
    /// A socket has no endpoint.
    case endpoint(BusError)
    /// A call of the system failed, at that path.
    case system(operation: String, path: String, errno: Int32)

    /// A call that has just failed on this thread.
    static func lastError(_ operation: String, _ path: String) -> RuntimeError {
        .system(operation: operation, path: path, errno: Glibc.errno)
    }

    /// What failed, where, and why; and what to change in the system.
    public var description: String {
        switch self {
        case .noFleet(let searched):
            "no fleet found in \(searched)"
        case .notDirectory(let path):
            "\(path) is not a directory: remove it, or use another run directory"
        case .openToOthers(let path, let mode):
            "\(path) can be entered by other users (mode \(String(mode, radix: 8))): chmod 700 \(path)"
        case .foreignDirectory(let path, let owner):
            "\(path) belongs to user \(owner): run this as that user, or use another directory"
        case .foreignParent(let path, let directory, let owner):
            "\(directory) belongs to user \(owner), who can replace \(path): run this as that user, "
                + "or use another directory"
        case .writableParent(let path, let directory, let mode):
            "other users can replace \(path), since they may write to \(directory) (mode "
                + "\(String(mode, radix: 8))): chmod go-w \(directory), or use another directory"
        case .symbolicLink(let path):
            "\(path) is a symbolic link, and is not followed: remove it, or name what it leads to"
        case .foreignFile(let path, let owner):
            "\(path) belongs to user \(owner): remove it, or run this as that user"
        case .notRegularFile(let path): "\(path) is not a regular file: remove it"
        case .fileOpenToOthers(let path, let mode):
            "\(path) is open to other users (mode \(String(mode, radix: 8))): chmod 600 \(path)"
        case .locked(let path, let holder?):
            "\(path) is held by process \(holder): end that process first, or use another run directory"
        case .locked(let path, nil):
            "\(path) is held by another process: end it first, or use another run directory"
        case .noSession(let path):
            "no session at \(path)"
        case .damagedSession(let path):
            "\(path) is not a session"
        case .damagedSecret(let path):
            "\(path) is not a secret of nodes: end the fleet, remove the file, and start the fleet again"
        case .otherSeed(let path, let former, let wanted):
            """
            \(path) has timers, schedules and settings of the devices of seed \(former), which a fleet of seed \
            \(wanted) does not have; remove \(path) to start without them
            """
        case .invalidLogLevel(let name): "'\(name)' is not a log level: use one of \(Logs.levelNames)"
        case .invalidDurability(let name): "'\(name)' is not a durability: use one of \(Durability.names)"
        case .invalidRetention(let text, let allowed): "'\(text)' is not a retention: \(allowed)"
        case .invalidMemoryLimit(let text):
            "'\(text)' is not a memory limit: write \(MemoryLimit.words), such as 512M"
        case .tooMuchMemory(let inUse, let limit):
            """
            cannot go on: \(inUse) MiB of memory are in use, and the limit is \(limit) MiB. Every \
            answered request is on disk, and the supervisor starts this process again. Raise the limit if \
            the fleet has grown.
            """
        case .tooFewDescriptors(let limit, let needed):
            """
            cannot start: the limit on open files is \(limit), and \(needed) are needed. Raise the hard \
            limit (ulimit -Hn, or LimitNOFILE= of a systemd unit).
            """
        case .endpoint(let error): error.description
        case .system(let operation, let path, let number):
            "cannot \(operation) \(path): \(Self.words(for: number)) (errno \(number)); \(Self.advice(for: number))"
        }
    }

    private static func words(for number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "unknown error"
    }

    private static func advice(for number: Int32) -> String {
        switch number {
        case ENOENT: "make the directory that it is to be in, or use another"
        case EACCES, EPERM, EROFS: "check the owner and the mode of the directory"
        case ENOSPC, EDQUOT: "free space on that disk"
        case EMFILE, ENFILE: "raise the limit on open files (ulimit -n)"
        default: "see the error number"
        }
    }
}
