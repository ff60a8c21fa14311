import Glibc
import Synchronization

/// A file that at most one process holds: until it is closed, or until that process dies.
///
/// The file stays when the lock is gone, with the number of the last holder in it.
public final class FileLock: Sendable {
    /// Where the file is.
    public let path: String

    /// The open file; nil once closed.
    private let descriptor: Mutex<Int32?>

    /// Takes the lock, without waiting.
    ///
    /// - Throws: `locked` with the holder's process id; `symbolicLink`, `notRegularFile`, `foreignFile` or
    ///   `system` when the file cannot be used.
    public init(path: String) throws(RuntimeError) {
        let opened = try OwnFile.open(path, O_RDWR | O_CREAT)
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let failure = errno
            let holder = ProcessIDLine.read(from: opened)
            Glibc.close(opened)
            guard failure == EWOULDBLOCK else {
                throw .system(operation: "lock", path: path, errno: failure)
            }
            throw .locked(path: path, holder: holder)
        }
        self.path = path
        descriptor = Mutex(opened)
        try ProcessIDLine.write(to: opened, path: path)
    }

    deinit {
        close()
    }

    /// Gives the lock up; a second call does nothing.
    public func close() {
        guard let open = descriptor.withLock({ $0.take() }) else { return }
        Glibc.close(open)
    }
}
