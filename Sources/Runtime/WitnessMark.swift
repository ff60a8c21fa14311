public import Records

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
