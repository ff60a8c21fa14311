import Dispatch
import Glibc
import Synchronization

/// Brings a file's bytes to the disk on a thread of its own: that may take longer than a loop can be held.
public final class FileSync: Sendable {
    private let descriptor: Int32
    private let path: String
    private let outcome = Mutex<Result<Void, RuntimeError>?>(nil)

    /// Takes over an open descriptor of the file.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Begins; once a sync.
    ///
    /// - Parameter wake: Called on the other thread when ``isDone()`` has an answer.
    public func begin(then wake: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "file sync").async { [self] in
            let result: Result<Void, RuntimeError> =
                fdatasync(descriptor) == 0 ? .success(()) : .failure(.lastError("sync", path))
            outcome.withLock { $0 = result }
            wake()
        }
    }

    /// Whether the bytes are on the disk.
    ///
    /// - Throws: `system` when they could not be brought there.
    public func isDone() throws(RuntimeError) -> Bool {
        guard let result = outcome.withLock({ $0 }) else { return false }
        try result.get()
        return true
    }
}
