import Dispatch
import Glibc

/// A private file that grows by whole batches: after each call a batch is in it, or nothing of it is.
///
/// It belongs to one thread, and is closed when nobody holds it any more.
public final class GrowingFile {
    /// Where it is.
    public private(set) var path: String
    /// How long it is, bytes.
    public private(set) var count = 0

    private let descriptor: Int32
    private var isClosed = false

    /// Makes an empty file that its owner alone may read, in the place of whatever is there.
    ///
    /// - Throws: `system` with the call that failed.
    public init(replacing path: String) throws(RuntimeError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .lastError("remove", path) }
        descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .lastError("create", path) }
        self.path = path
    }

    /// Puts a file of those bytes in the place of any other at once, and waits for the disk.
    ///
    /// - Throws: `system` with the call that failed.
    public static func put(_ bytes: [UInt8], at path: String) throws(RuntimeError) {
        let file = try GrowingFile(replacing: "\(path).making")
        guard try file.append(bytes) else { throw .system(operation: "write", path: path, errno: ENOSPC) }
        try file.sync()
        try file.move(to: path, isSynced: true)
    }

    deinit {
        if !isClosed { close(descriptor) }
    }

    /// Appends a batch with one call of the system.
    ///
    /// - Returns: False when the disk is full; then the file is as it was.
    /// - Throws: `system` when it fails in any other way, or cannot be cut back.
    public func append(_ batch: [UInt8]) throws(RuntimeError) -> Bool {
        var written = write(descriptor, batch, batch.count)
        while written < 0 && errno == EINTR { written = write(descriptor, batch, batch.count) }
        if written == batch.count {
            count += written
            return true
        }
        // A regular file takes less than it was given only where there is no room for the rest.
        let isFull = written >= 0 || errno == ENOSPC || errno == EDQUOT
        guard isFull else { throw .lastError("write", path) }
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw .lastError("cut back", path) }
        return false
    }

    /// Takes bytes out of the middle, as many as the block has room for and the file has from there.
    ///
    /// - Returns: How many bytes of the block are filled; 0 at the end of the file.
    /// - Throws: `system` when it cannot be read.
    public func read(at place: Int, into block: inout [UInt8]) throws(RuntimeError) -> Int {
        var taken = pread(descriptor, &block, block.count, off_t(place))
        while taken < 0 && errno == EINTR { taken = pread(descriptor, &block, block.count, off_t(place)) }
        guard taken >= 0 else { throw .lastError("read", path) }
        return taken
    }

    /// Returns once all that was appended is on the disk, and would survive a loss of power.
    ///
    /// - Throws: `system`; then nobody knows what is on the disk, and trying again would not tell.
    public func sync() throws(RuntimeError) {
        guard fdatasync(descriptor) == 0 else { throw .lastError("sync", path) }
    }

    /// Something that another thread can use to do what ``sync()`` does, while this file goes on growing.
    ///
    /// - Throws: `system` when there are too many open files.
    public func makeSync() throws(RuntimeError) -> FileSync {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .lastError("open again", path) }
        return FileSync(descriptor: copy, path: path)
    }

    /// Puts it in the place of another file at once: whoever opens that path finds the one or the other.
    ///
    /// - Parameter isSynced: Whether to wait until that would survive a loss of power; otherwise the old
    ///   file may be there again after one.
    /// - Throws: `system` with the call that failed.
    public func move(to path: String, isSynced: Bool) throws(RuntimeError) {
        guard rename(self.path, path) == 0 else { throw .lastError("replace", path) }
        self.path = path
        if isSynced { try DirectoryNames.sync(nameOf: path) }
    }

    /// Has another thread close it: for the last to close a file without a name, freeing 300 MB took 28 ms.
    ///
    /// It must not be used after that.
    public func closeElsewhere() {
        isClosed = true
        DispatchQueue(label: "file close").async { [descriptor] in _ = close(descriptor) }
    }

    /// Takes its name away; the room is free once it is closed.
    ///
    /// - Throws: `system` with the call that failed.
    public func remove() throws(RuntimeError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .lastError("remove", path) }
    }

    /// Reads a file from its start to its end, block by block.
    ///
    /// - Parameter take: Told each block; what it throws ends the reading.
    /// - Returns: Whether there is such a file.
    /// - Throws: `symbolicLink`, `notRegularFile` or `foreignFile`; `system` with the call that failed.
    public static func read(_ path: String, _ take: (ArraySlice<UInt8>) throws -> Void) throws -> Bool {
        guard let descriptor = try OwnFile.openIfPresent(path, O_RDONLY) else { return false }
        defer { close(descriptor) }
        var block = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let taken = Glibc.read(descriptor, &block, block.count)
            if taken == 0 { return true }
            if taken > 0 {
                try take(block[..<taken])
            } else if errno != EINTR {
                throw RuntimeError.lastError("read", path)
            }
        }
    }
}
