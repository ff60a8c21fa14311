import Dispatch
import Glibc
import Synchronization

/// A private file that grows by whole batches: each call appends a batch completely or not at all. It is
/// closed when its last reference is released, or earlier.
public final class GrowingFile: Sendable {
    private struct State {
        var path: String
        var count = 0
        /// Whether the file may have bytes after its end.
        var hasRest = false
        var isClosed = false
    }

    private let descriptor: Int32
    private let state: Mutex<State>

    public var path: String { state.withLock { $0.path } }
    /// The length in bytes.
    public var count: Int { state.withLock { $0.count } }
    /// The length that the file has on its disk, which another process may have changed.
    public var storedCount: Int { FileStatus(of: descriptor)?.bytes ?? 0 }

    /// Creates an empty file that only its owner can read, replacing an existing one.
    public init(replacing path: String) throws(RuntimeError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .lastError("remove", path) }
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .lastError("create", path) }
        state = Mutex(State(path: path))
    }

    /// Opens an existing file of the process's user.
    public init(opening path: String) throws(RuntimeError) {
        descriptor = try OwnFile.open(path, O_RDWR)
        state = Mutex(State(path: path, count: FileStatus(of: descriptor)?.bytes ?? 0))
    }

    /// Replaces a file atomically by one with the given bytes, and syncs it.
    public static func put(_ bytes: [UInt8], at path: String) throws(RuntimeError) {
        let file = try GrowingFile(replacing: "\(path).making")
        guard try file.append(bytes) else { throw .system(operation: "write", path: path, errno: ENOSPC) }
        try file.sync()
        try file.move(to: path, isSynced: true)
    }

    deinit { close() }

    /// Closes the file, which must not be used after that; a second call does nothing.
    public func close() {
        guard markClosed() else { return }
        unlock(descriptor)
        Glibc.close(descriptor)
    }

    private func markClosed() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// Acquires a lock that one open file has at a time, until it is closed or the process dies. Returns
    /// false if another process, or another open file of this process, has the lock.
    public func lock() throws(RuntimeError) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw .lastError("lock", path) }
        return false
    }

    /// Appends a batch with one system call; false if the disk is full, and the file then unchanged.
    public func append(_ batch: [UInt8]) throws(RuntimeError) -> Bool {
        try state.withLock { (state) throws(RuntimeError) in
            if state.hasRest { try cut(&state) }
            let written = write(batch, at: state.count)
            if written == batch.count {
                state.count += written
                return true
            }
            // A write to a regular file is short only if the disk has no space for the rest.
            let isFull = written >= 0 || errno == ENOSPC || errno == EDQUOT
            guard isFull else { throw .lastError("write", state.path) }
            state.hasRest = true
            try cut(&state)
            return false
        }
    }

    /// Ends the file at an offset: the next append removes the bytes after it.
    public func end(at count: Int) {
        state.withLock { state in
            state.hasRest = state.hasRest || count < state.count
            state.count = count
        }
    }

    private func cut(_ state: inout State) throws(RuntimeError) {
        guard ftruncate(descriptor, off_t(state.count)) == 0 else { throw .lastError("cut back", state.path) }
        state.hasRest = false
    }

    /// Overwrites bytes that exist.
    public func overwrite(_ bytes: [UInt8], at place: Int) throws(RuntimeError) {
        guard write(bytes, at: place) == bytes.count else { throw .lastError("write", path) }
    }

    private func write(_ bytes: [UInt8], at place: Int) -> Int {
        uninterrupted { pwrite(descriptor, bytes, bytes.count, off_t(place)) }
    }

    /// Reads bytes from an offset, as many as fit into the block and as the file has; returns their number.
    public func read(at place: Int, into block: inout [UInt8]) throws(RuntimeError) -> Int {
        let readCount = uninterrupted { pread(descriptor, &block, block.count, off_t(place)) }
        guard readCount >= 0 else { throw .lastError("read", path) }
        return readCount
    }

    /// Syncs the appended batches to the disk, so that they survive a power failure. After an error the state
    /// of the disk is unknown, and a retry would not reveal it.
    public func sync() throws(RuntimeError) {
        guard fdatasync(descriptor) == 0 else { throw .lastError("sync", path) }
    }

    /// Creates a handle with which another thread can sync the file, while this one keeps appending.
    public func makeSync() throws(RuntimeError) -> FileSync {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .lastError("open again", path) }
        return FileSync(descriptor: copy, path: path)
    }

    /// Renames the file atomically, replacing another: a reader of that path opens the former or this one.
    /// Unless the rename is synced, the former file may return after a power failure.
    public func move(to path: String, isSynced: Bool) throws(RuntimeError) {
        guard rename(self.path, path) == 0 else { throw .lastError("replace", path) }
        state.withLock { $0.path = path }
        if isSynced { try DirectoryNames.sync(nameOf: path) }
    }

    /// Gives the file the name of a path where there is none yet; `EEXIST` where there is one.
    public func place(at path: String) throws(RuntimeError) {
        let former = self.path
        guard link(former, path) == 0 else { throw .lastError("create", path) }
        state.withLock { $0.path = path }
        guard unlink(former) == 0 else { throw .lastError("remove", former) }
    }

    /// Closes the file on another thread: the last close of a deleted file of 300 MB took 28 ms. It must not
    /// be used after that.
    public func closeElsewhere() {
        guard markClosed() else { return }
        DispatchQueue(label: "file close").async { [descriptor] in _ = Glibc.close(descriptor) }
    }

    /// Deletes the file's name; its space is freed once it is closed.
    public func remove() throws(RuntimeError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .lastError("remove", path) }
    }

    /// Reads a file from its start to its end, block by block; returns whether it exists. An error that the
    /// body throws ends the reading.
    public static func read(_ path: String, _ body: (ArraySlice<UInt8>) throws -> Void) throws -> Bool {
        guard let descriptor = try OwnFile.openIfPresent(path, O_RDONLY) else { return false }
        defer { Glibc.close(descriptor) }
        var block = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let readCount = uninterrupted { Glibc.read(descriptor, &block, block.count) }
            guard readCount >= 0 else { throw RuntimeError.lastError("read", path) }
            if readCount == 0 { return true }
            try body(block[..<readCount])
        }
    }
}
