public import Bus
import Glibc

/// The reason why a process cannot start, or a command cannot find its fleet. Each description says what
/// failed, where, and why. It names no command and no option: the programs that have these add advice. It
/// never contains tokens and passwords.
public enum RuntimeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No run directory was named, and this directory and those above have none.
    case noFleet(searched: String)
    /// The run directory, or the directory of its sockets, is not a directory.
    case notDirectory(path: String)
    /// The path leads to another directory than the one that this process has open, or to none.
    case lostDirectory(path: String, open: String)
    case noWorkingDirectory
    case openToOthers(path: String, mode: UInt32)
    case foreignDirectory(path: String, owner: UInt32)
    /// A directory or link on the path belongs to another user.
    case foreignParent(of: String, directory: String, owner: UInt32)
    /// Other users can write to a directory on the path.
    case writableParent(of: String, directory: String, mode: UInt32)
    /// A symbolic link is in the place of a file or directory.
    case symbolicLink(path: String)
    /// The file belongs to another user.
    case foreignFile(path: String, owner: UInt32)
    /// A directory or a named pipe is in the place of a file.
    case notRegularFile(path: String)
    /// The path of a file is that of a device.
    case device(path: String)
    /// Other users can read or write a file with a secret.
    case fileOpenToOthers(path: String, mode: UInt32)
    /// Another process holds the lock; nil if it has not written its process ID.
    case locked(path: String, holder: Int32?)
    /// There is no session file: no user has logged in.
    case noSession(path: String)
    /// The file is not a stored session.
    case damagedSession(path: String)
    /// The file does not have the length of a node secret.
    case damagedSecret(path: String)
    /// The file with the names of devices is damaged.
    case damagedRegister(path: String)
    /// As many devices are renamed, or removed, as may be.
    case fullRegister(limit: Int)
    /// The file with a key, or with the peers of a fleet, is damaged.
    case damagedKey(path: String)
    /// The file with the key of this machine is missing.
    case noKey(path: String)
    /// The list of cells cannot be used, for the reason in the text.
    case invalidCells(text: String)
    /// The text is not an address on the network.
    case invalidNetworkAddress(text: String)
    /// A peer has that name, or the same key.
    case peerExists(name: String)
    /// The fleet has as many peers as it may have.
    case tooManyPeers(limit: Int)
    /// The run directory has the memory of devices of another seed.
    case otherSeed(path: String, former: UInt64, wanted: UInt64)
    /// The value of an option is malformed or out of range.
    case invalidValue(String, of: String, allowed: String)
    /// The process uses more memory than its limit, in MiB.
    case tooMuchMemory(inUse: Int, limit: Int)
    /// The limit on open files of the process is too low.
    case tooFewDescriptors(limit: Int, needed: Int)
    /// A socket has no endpoint.
    case endpoint(BusError)
    /// A system call failed, at that path.
    case system(operation: String, path: String, errno: Int32)
    /// The error of the last system call on this thread.
    static func lastError(_ operation: String, _ path: String) -> RuntimeError {
        .system(operation: operation, path: path, errno: Glibc.errno)
    }

    /// What failed, where, and why; and what to change in the system.
    public var description: String { OpenDirectories.named(in: text) }

    private var text: String {
        switch self {
        case .lostDirectory(let path, let open):
            """
            the run directory \(path) was moved, replaced or removed: this process ends, and has written only \
            to \(open). End the fleet before you move its directory.
            """
        case .noWorkingDirectory: "the working directory no longer exists: change to another one"
        case .noFleet(let searched): "no fleet found in \(searched)"
        case .notDirectory(let path): "\(path) is not a directory: use another run directory"
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
            "\(path) is a symbolic link, which is not followed: name its target, or use another path"
        case .foreignFile(let path, let owner):
            "\(path) belongs to user \(owner): use another path, or run this as that user"
        case .notRegularFile(let path):
            "\(path) is not a regular file: use another path, or move what is there"
        case .device(let path): "\(path) is a device: use the path of a regular file"
        case .fileOpenToOthers(let path, let mode):
            "\(path) is open to other users (mode \(String(mode, radix: 8))): chmod 600 \(path)"
        case .locked(let path, let holder?):
            "\(path) is held by process \(holder): end that process first, or use another run directory"
        case .locked(let path, nil):
            "\(path) is held by another process: end it first, or use another run directory"
        case .noSession(let path): "no session at \(path)"
        case .damagedSession(let path): "\(path) is not a session"
        case .damagedSecret(let path):
            "\(path) is not a node secret: stop the fleet, remove the file, and start the fleet again"
        case .fullRegister(let limit):
            "at most \(limit) devices are renamed, and as many removed: remove the last ones with `fleet scale`"
        case .damagedRegister(let path):
            "\(path) is damaged: restore it from a backup, or remove it; devices then have their first names"
        case .damagedKey(let path):
            "\(path) is damaged: restore it from a backup, or remove it and let the peers join again"
        case .noKey(let path): "no key of this machine at \(path): join the fleet first"
        case .invalidCells(let text): text
        case .invalidNetworkAddress(let text):
            """
            '\(text)' is not an address: write tcp://HOST:PORT, such as tcp://0.0.0.0:7600 or \
            tcp://[::1]:7600, with a port of 1 to \(NetworkAddress.largestPort)
            """
        case .peerExists(let name): "\(name) exists already: choose another name, or revoke that key first"
        case .tooManyPeers(let limit): "the fleet has \(limit) keys, the maximum: revoke one first"
        case .otherSeed(let path, let former, let wanted):
            """
            \(path) has timers, schedules and settings of the devices of seed \(former), as the file \
            \(path)/\(RunFile.seed.rawValue) says, which a fleet of seed \(wanted) does not have; to start \
            without them, remove \(path) with its users, keys and logbook
            """
        case .invalidValue(let text, let option, let allowed): "'\(text)' is not a \(option): \(allowed)"
        case .tooMuchMemory(let inUse, let limit):
            """
            memory limit exceeded: \(inUse) MiB are in use, and the limit is \(limit) MiB. Every \
            answered request is on disk, and the supervisor restarts this process. Raise the limit if \
            the fleet has grown.
            """
        case .tooFewDescriptors(let limit, let needed):
            """
            cannot start: the limit on open files is \(limit), and \(needed) are needed. Raise the hard \
            limit (ulimit -Hn, or LimitNOFILE= of a systemd unit).
            """
        case .endpoint(let error): error.description
        case .system(let operation, let path, let number):
            "cannot \(operation) \(path): \(Self.text(for: number))\(Self.advice(for: number))"
        }
    }

    package static func text(for number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "unknown error"
    }

    private static func advice(for number: Int32) -> String {
        switch number {
        case ENOENT: "; create its directory, or use another"
        case EACCES, EPERM, EROFS: "; check the owner and the mode of the directory"
        case ENOSPC, EDQUOT: "; free space on that disk"
        case EMFILE, ENFILE: "; raise the limit on open files (ulimit -n)"
        default: " (errno \(number))"
        }
    }
}
