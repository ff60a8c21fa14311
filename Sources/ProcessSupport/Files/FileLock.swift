public import FleetProtocol
import Glibc
import Synchronization

/// A lock file that at most one process holds, until it is closed or that process dies. The file remains
/// after the lock is released, with the process ID of the last holder.
public final class FileLock: Sendable {
    public let path: String
    private let descriptor: Mutex<Int32?>

    /// Acquires the lock, without waiting; throws `locked` with the holder's process ID.
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

    /// Releases the lock; a second call does nothing.
    public func close() {
        guard let open = descriptor.withLock({ $0.take() }) else { return }
        unlock(open)
        Glibc.close(open)
    }
}

/// Releases the lock of an open file at once. A close alone would not while a process that is being started
/// has a copy of the descriptor, which it closes when its program begins.
func unlock(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
}

/// A private file of fixed-size slots, each written by one system call. A slot lies within a page and within
/// a sector. So after the death of a process or a power failure it has all bytes of a write or none.
public final class SlotFile: Sendable {
    /// The number of bytes in a slot.
    public static let slotBytes = 64

    public let path: String
    private let descriptor: Int32

    /// Opens an existing file.
    public init(opening path: String) throws(RuntimeError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .lastError("open", path) }
    }

    deinit { close(descriptor) }

    /// Creates a file with the given slots, replacing any other, and syncs it.
    public static func make(_ slots: [[UInt8]], at path: String) throws(RuntimeError) {
        try GrowingFile.put(slots.flatMap(\.self), at: path)
    }

    /// Writes a slot.
    public func write(_ bytes: [UInt8], at slot: Int) throws(RuntimeError) {
        precondition(bytes.count == Self.slotBytes, "a slot of \(bytes.count) bytes")
        let written = uninterrupted {
            pwrite(descriptor, bytes, bytes.count, off_t(slot * Self.slotBytes))
        }
        guard written == bytes.count else { throw .lastError("write", path) }
    }

    /// Reads a slot; the bytes that the file lacks are zero.
    public func read(at slot: Int) throws(RuntimeError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.slotBytes)
        guard
            uninterrupted({ pread(descriptor, &bytes, bytes.count, off_t(slot * Self.slotBytes)) }) >= 0
        else { throw .lastError("read", path) }
        return bytes
    }

    /// Syncs the file to the disk.
    public func sync() throws(RuntimeError) {
        guard fdatasync(descriptor) == 0 else { throw .lastError("sync", path) }
    }
}

/// A mark of a witness: the recorded end of another file.
public struct WitnessMark: Equatable, Sendable {
    /// The boot ID of the machine at the time of the record.
    public var boot: String
    /// Whether the recorded data was synced to the disk by then.
    public var isOnDisk: Bool
    /// The recorded end: bytes of a node's memory, changes of the store, or batches of the journal.
    public let number: UInt64
    /// The journal's newest segment, or the generation of a node's memory; 0 for the store.
    public let segment: UInt32
    /// The checksum of the journal's newest batch; 0 for others.
    public let checksum: UInt32

    /// A mark with the given values, of the current boot by default.
    public init(
        boot: String = SystemBoot.id, isOnDisk: Bool, number: UInt64, segment: UInt32 = 0,
        checksum: UInt32 = 0
    ) {
        (self.boot, self.isOnDisk, self.number) = (boot, isOnDisk, number)
        (self.segment, self.checksum) = (segment, checksum)
    }

    /// The boot ID in marks of copies, which is that of no machine.
    public static let copied = "copied"

    /// Whether a power failure may have lost the recorded data, without damage.
    public var isLossPossible: Bool { !isOnDisk && boot != SystemBoot.id }

    /// Returns the bytes of a slot: a checksum, and the mark if there is one.
    public static func slot(_ mark: WitnessMark?) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(UInt32(0))
        writer.put(mark)
        while writer.bytes.count < SlotFile.slotBytes { writer.put(byte: 0) }
        writer.set(Checksum.of(writer.bytes.dropFirst(4)), at: 0)
        return writer.bytes
    }

    /// Decodes the mark of a slot; nil for an empty slot.
    public static func mark(in slot: ArraySlice<UInt8>) throws(RecordError) -> WitnessMark? {
        var reader = RecordReader(slot)
        guard try reader.read(UInt32.self) == Checksum.of(slot.dropFirst(4)) else {
            throw .malformed(field: "checksum")
        }
        return try reader.readOptional(WitnessMark.self, "mark")
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
        boot = try reader.readText("boot")
        isOnDisk = try reader.readBool("disk")
        number = try reader.read(UInt64.self)
        segment = try reader.read(UInt32.self)
        checksum = try reader.read(UInt32.self)
    }
}
