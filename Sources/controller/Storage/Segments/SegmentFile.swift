import ControllerCore
import FleetProtocol
import Glibc
import ProcessSupport
import Synchronization

/// One segment of the journal: a file with the epoch that owns it, and batches, each appended by one write.
///
/// It begins with a header of the size of a slot of `SlotFile`, which a claim rewrites. Each batch follows
/// its length in four bytes. The first batch that is incomplete ends the segment, because the process that
/// wrote it died before the write was complete. After a power failure, so does a batch that does not match
/// its checksum. The witness shows whether that batch, or one after it, was complete once.
///
/// A file that is open for appending is locked until it is closed, or its process dies.
final class SegmentFile: Sendable {
    private struct State {
        /// The offset of the last batch that was read.
        var last: Int?
        var frame: [UInt8] = []
    }

    /// The format of the file; formats 1 to 6 were databases, and format 8 added the fleet's name.
    private static let format: UInt32 = 8
    private static let mark = Array("sensijnl".utf8)
    static let headerBytes = SlotFile.slotBytes
    /// How long the lock of a process that is being killed is waited for, in steps of 10 ms.
    private static let lockSteps = 200

    private let file: GrowingFile
    private let waitsForDisk: Bool
    /// Whether a batch that does not match its checksum ends the segment.
    private let mayBeTorn: Bool
    private let state = Mutex(State())
    let path: String
    /// The fleet that the file belongs to; nil in format 7.
    let fleet: FleetName?

    /// Opens a segment, only to read and without the lock if there is no durability. A power failure may have
    /// left a batch that does not match its checksum. If not, such a batch is returned: the reader of its
    /// entries reports the damage, and no batch is summed up twice.
    init(
        opening path: String, toAppendWith durability: Durability? = nil, mayBeTorn: Bool = true
    ) throws(StorageError) {
        file = try StorageError.converting(at: path) { try GrowingFile(opening: path) }
        (self.path, waitsForDisk, self.mayBeTorn) = (path, durability == .power, mayBeTorn)
        fleet = try Self.header(of: file, at: path).fleet
        if durability != nil { try lock() }
    }

    /// Creates an empty segment that is locked and on the disk; `place` gives the file its path.
    static func make(
        at path: String, for epoch: Epoch, of fleet: FleetName, _ durability: Durability,
        place: (GrowingFile) throws -> Void
    ) throws(StorageError) -> SegmentFile {
        try StorageError.converting(at: path) {
            let file = try GrowingFile(replacing: "\(path).\(epoch).making")
            guard try file.lock(), try file.append(header(for: epoch, of: fleet)) else {
                throw StorageError.full(path: path)
            }
            try file.sync()
            try place(file)
            return SegmentFile(file, at: path, of: fleet, durability)
        }
    }

    private init(_ file: GrowingFile, at path: String, of fleet: FleetName, _ durability: Durability) {
        (self.file, self.path, self.fleet) = (file, path, fleet)
        (waitsForDisk, mayBeTorn) = (durability == .power, false)
    }

    private func lock() throws(StorageError) {
        do {
            for _ in 0..<Self.lockSteps {
                if try file.lock() { return }
                usleep(10_000)
            }
        } catch {
            throw StorageError(error, path: path)
        }
        throw .inUse(path: path)
    }

    private static func header(for epoch: Epoch, of fleet: FleetName) -> [UInt8] {
        var writer = RecordWriter()
        for byte in mark { writer.put(byte: byte) }
        writer.put(format)
        writer.put(epoch.value)
        writer.put(fleet.bits)
        while writer.bytes.count < headerBytes - 4 { writer.put(byte: 0) }
        writer.put(Checksum.of(writer.bytes))
        return writer.bytes
    }

    private func owner() throws(StorageError) -> Epoch { try Self.header(of: file, at: path).owner }

    private static func header(
        of file: GrowingFile, at path: String
    ) throws(StorageError) -> (owner: Epoch, fleet: FleetName?) {
        do {
            var header = [UInt8](repeating: 0, count: headerBytes)
            guard try file.read(at: 0, into: &header) == header.count, header.starts(with: mark) else {
                throw StorageError.damaged(path: path, what: "not a journal segment")
            }
            var checksum = RecordReader(header.suffix(4))
            guard try checksum.read(UInt32.self) == Checksum.of(header.dropLast(4)) else {
                throw RecordError.malformed(field: "header")
            }
            var reader = RecordReader(header.dropFirst(mark.count))
            let format = try reader.read(UInt32.self)
            guard format <= Self.format else { throw StorageError.newer(path: path) }
            let owner = Epoch(try reader.read(UInt64.self))
            return (owner, format < 8 ? nil : FleetName(bits: try reader.read(UInt64.self)))
        } catch let error as RecordError {
            throw .damaged(path: path, what: error.description)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Stores an epoch as the only one that may append, and the name of its fleet; `fenced` if it is too low.
    func claim(for epoch: Epoch, of fleet: FleetName) throws(StorageError) {
        let owner = try owner()
        guard owner <= epoch else { throw .fenced(by: owner) }
        try StorageError.converting(at: path) {
            try file.overwrite(Self.header(for: epoch, of: fleet), at: 0)
        }
    }

    /// Checks that the segment has an epoch; `fenced` if it has another one.
    func confirm(_ epoch: Epoch) throws(StorageError) {
        let owner = try owner()
        guard owner == epoch else { throw .fenced(by: owner) }
    }

    /// Writes a batch completely or not at all, if the segment still has the epoch; otherwise `fenced`. A
    /// file that was opened must have been read: the batch follows the last one that was found.
    func append(_ batch: [UInt8], as epoch: Epoch) throws(StorageError) {
        try confirm(epoch)
        do {
            let hasRoom = try state.withLock { state in
                state.frame.removeAll(keepingCapacity: true)
                for shift in stride(from: 0, to: 32, by: 8) {
                    state.frame.append(UInt8(truncatingIfNeeded: batch.count >> shift))
                }
                state.frame += batch
                return try file.append(state.frame)
            }
            guard hasRoom else { throw StorageError.full(path: path) }
        } catch {
            throw StorageError(error, path: path)
        }
        if waitsForDisk { try sync() }
    }

    /// Syncs the file; an error of a full disk is final here, because the batch has been written.
    private func sync() throws(StorageError) {
        do {
            try file.sync()
        } catch {
            throw .failed(path: path, what: "\(error)")
        }
    }

    func first() throws(StorageError) -> ArraySlice<UInt8>? {
        var batches = SegmentBatches(of: file, from: Self.headerBytes)
        return try StorageError.converting(at: path) { try batches.next() }
    }

    func last() throws(StorageError) -> ArraySlice<UInt8>? {
        var batches = SegmentBatches(of: file, from: state.withLock { $0.last } ?? Self.headerBytes)
        var last: ArraySlice<UInt8>?
        try StorageError.converting(at: path) {
            while let batch = try batches.next() { last = batch }
        }
        return last
    }

    func read(_ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError) {
        var batches = SegmentBatches(of: file, from: Self.headerBytes, mayBeTorn: mayBeTorn)
        do {
            while let batch = try batches.next() { try body(batch) }
        } catch StorageError.damaged(_, let what) {
            throw .damaged(path: path, what: what)
        } catch {
            throw StorageError(error, path: path)
        }
        // An append replaces an incomplete batch.
        file.end(at: batches.end)
        state.withLock { $0.last = batches.last }
    }

    /// Writes everything to the disk, and closes the file.
    func close() throws(StorageError) {
        defer { file.close() }
        try sync()
    }
}

/// Reads the batches of a segment's file in blocks, up to the first that is incomplete or torn.
struct SegmentBatches {
    private static let blockBytes = 1 << 20
    private static let lengthBytes = 4

    private let file: GrowingFile
    private let mayBeTorn: Bool
    /// Bytes of the file, of which those before `place` belong to batches that were returned.
    private var block: [UInt8] = []
    private var place = 0
    private var blockEnd = 0
    /// The offset of the end of the last batch.
    private(set) var end: Int
    /// The offset of the last batch; nil before the first.
    private(set) var last: Int?

    init(of file: GrowingFile, from start: Int, mayBeTorn: Bool = true) {
        (self.file, end, self.mayBeTorn) = (file, start, mayBeTorn)
    }

    mutating func next() throws(RuntimeError) -> ArraySlice<UInt8>? {
        guard try hasNext(Self.lengthBytes) else { return nil }
        let length = block[place..<place + Self.lengthBytes].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length > 0, try hasNext(Self.lengthBytes + length) else { return nil }
        let start = place + Self.lengthBytes
        let batch = block[start..<start + length]
        guard !mayBeTorn || BatchReader.isIntact(batch) else { return nil }
        (last, end, place) = (end, end + Self.lengthBytes + length, start + length)
        return batch
    }

    /// Reads the next block if there are fewer unread bytes; returns false if the file ends before.
    private mutating func hasNext(_ count: Int) throws(RuntimeError) -> Bool {
        if blockEnd - place >= count { return true }
        guard end + count <= file.storedCount else { return false }
        // Another array, because a reader may still have a slice of this one.
        block = [UInt8](repeating: 0, count: max(Self.blockBytes, count))
        blockEnd = try file.read(at: end, into: &block)
        place = 0
        return blockEnd >= count
    }
}
