import ControllerCore
import Records
import Runtime

/// A witness's note about the store or the journal, in a slot of its file.
struct WitnessMark: Equatable {
    /// The life of the machine in which it was noted.
    var boot = SystemBoot.id
    /// Whether what was noted was on the disk by then.
    var isOnDisk: Bool
    /// The number of the store's changes, or of the journal's newest batch.
    var number: UInt64
    /// The journal's newest segment; 0 for the store.
    var segment: UInt32 = 0
    /// The checksum of the journal's newest batch; 0 for the store.
    var checksum: UInt32 = 0

    /// Whether what was noted may be gone, without damage: the machine lost power since.
    var isLossPossible: Bool { !isOnDisk && boot != SystemBoot.id }

    /// How far the journal went.
    var journalEnd: JournalEnd {
        JournalEnd(segment: Int(segment), batch: BatchLink(number: number, checksum: checksum))
    }

    /// A slot's bytes: a checksum, and a mark where there is one.
    static func slot(_ mark: WitnessMark?) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(UInt32(0))
        writer.put(mark)
        while writer.bytes.count < SlotFile.slotBytes { writer.put(byte: 0) }
        writer.set(Checksum.of(writer.bytes.dropFirst(4)), at: 0)
        return writer.bytes
    }

    /// The mark of a slot; nil where nothing was noted yet.
    static func mark(in slot: ArraySlice<UInt8>) throws(RecordError) -> WitnessMark? {
        var reader = RecordReader(slot)
        guard try reader.take(UInt32.self) == Checksum.of(slot.dropFirst(4)) else {
            throw .malformed(field: "checksum")
        }
        return try reader.takeOptional(WitnessMark.self, "mark")
    }
}

extension WitnessMark: Recordable {
    func write(to writer: inout RecordWriter) {
        writer.put(boot)
        writer.put(isOnDisk)
        writer.put(number)
        writer.put(segment)
        writer.put(checksum)
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        boot = try reader.takeText("boot")
        isOnDisk = try reader.takeBool("disk")
        number = try reader.take(UInt64.self)
        segment = try reader.take(UInt32.self)
        checksum = try reader.take(UInt32.self)
    }
}
