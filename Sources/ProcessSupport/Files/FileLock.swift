public import FileFraming
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
            guard failure == EWOULDBLOCK else { throw .system(operation: "lock", path: path, errno: failure) }
            throw .locked(path: path, holder: holder)
        }
        self.path = path
        descriptor = Mutex(opened)
        try ProcessIDLine.write(to: opened, path: path)
    }

    deinit { close() }

    /// Gives the lock up; a second call does nothing.
    public func close() {
        guard let open = descriptor.withLock({ $0.take() }) else { return }
        Glibc.close(open)
    }
}

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

    deinit { close(descriptor) }

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

/// A witness's note of how far another file went, in a slot of the witness's own.
public struct WitnessMark: Equatable, Sendable {
    /// The life of the machine in which it was noted.
    public var boot: String
    /// Whether what was noted was on the disk by then.
    public var isOnDisk: Bool
    /// How far it went: bytes of a node's memory, changes of the store, or batches of the journal.
    public let number: UInt64
    /// The journal's newest segment; 0 for others.
    public let segment: UInt32
    /// The checksum of the journal's newest batch; 0 for others.
    public let checksum: UInt32

    /// A mark of those values; of this life of the machine unless another is named.
    public init(
        boot: String = SystemBoot.id, isOnDisk: Bool, number: UInt64, segment: UInt32 = 0,
        checksum: UInt32 = 0
    ) {
        self.boot = boot
        self.isOnDisk = isOnDisk
        self.number = number
        self.segment = segment
        self.checksum = checksum
    }

    /// Whether what was noted may be gone, without damage: the machine lost power since.
    public var isLossPossible: Bool { !isOnDisk && boot != SystemBoot.id }

    /// A slot's bytes: a checksum, and a mark where there is one.
    public static func slot(_ mark: WitnessMark?) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(UInt32(0))
        writer.put(mark)
        while writer.bytes.count < SlotFile.slotBytes { writer.put(byte: 0) }
        writer.set(Checksum.of(writer.bytes.dropFirst(4)), at: 0)
        return writer.bytes
    }

    /// The mark of a slot; nil where nothing was noted yet.
    ///
    /// - Throws: `malformed` where a slot has other bytes.
    public static func mark(in slot: ArraySlice<UInt8>) throws(RecordError) -> WitnessMark? {
        var reader = RecordReader(slot)
        guard try reader.take(UInt32.self) == Checksum.of(slot.dropFirst(4)) else {
            throw .malformed(field: "checksum")
        }
        return try reader.takeOptional(WitnessMark.self, "mark")
    }
}

extension WitnessMark: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(boot)
        writer.put(isOnDisk)
        writer.put(number)
        writer.put(segment)
        writer.put(checksum)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        boot = try reader.takeText("boot")
        isOnDisk = try reader.takeBool("disk")
        number = try reader.take(UInt64.self)
        segment = try reader.take(UInt32.self)
        checksum = try reader.take(UInt32.self)
    }
}
