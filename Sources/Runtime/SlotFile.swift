import Glibc

/// A private file of slots, written slot by slot.
///
/// One call of the system writes a slot.
/// A slot lies within a page and within a sector, so that after the death of a process, and after a loss of
/// power, it has all bytes of a write or none.
public final class SlotFile: Sendable {
    /// Bytes of a slot.
    public static let slotBytes = 64

    /// Where it is.
    public let path: String
    private let descriptor: Int32

    /// Opens the file.
    ///
    /// - Throws: `system` with the call that failed; there has to be such a file.
    public init(opening path: String) throws(RuntimeError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .lastError("open", path) }
    }

    deinit {
        close(descriptor)
    }

    /// Makes a file of those slots, in the place of any other and on the disk at once.
    ///
    /// - Throws: `system` with the call that failed.
    public static func make(_ slots: [[UInt8]], at path: String) throws(RuntimeError) {
        try GrowingFile.put(slots.flatMap(\.self), at: path)
    }

    /// Writes a slot.
    ///
    /// - Throws: `system` when it fails.
    public func write(_ bytes: [UInt8], at slot: Int) throws(RuntimeError) {
        precondition(bytes.count == Self.slotBytes, "a slot of \(bytes.count) bytes")
        var written = pwrite(descriptor, bytes, bytes.count, off_t(slot * Self.slotBytes))
        while written < 0 && errno == EINTR {
            written = pwrite(descriptor, bytes, bytes.count, off_t(slot * Self.slotBytes))
        }
        guard written == bytes.count else { throw .lastError("write", path) }
    }

    /// Returns once all that was written is on the disk.
    ///
    /// - Throws: `system` when it fails.
    public func sync() throws(RuntimeError) {
        guard fdatasync(descriptor) == 0 else { throw .lastError("sync", path) }
    }
}
