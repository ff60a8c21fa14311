import FleetProtocol

/// Reads a node's memory from the bytes of its file, piece by piece. The file may end in an incomplete frame,
/// because a process can die during a write. Such a frame was never acknowledged and is dropped. Any other
/// mismatch is damage.
public struct MemoryReplay: Sendable {
    private enum Found {
        case frame(Range<Int>)
        case tooShort
        case nothing
    }

    /// The memory according to the bytes so far.
    public private(set) var memory = NodeMemory()

    /// The bytes that are not decoded yet, and the offset of the first of them in the file.
    private var pending: [UInt8] = []
    private var place = 0
    private var hasHeader = false
    /// The offset of the first invalid frame.
    private var brokenAt: Int?

    /// A replay before the first byte.
    public init() {}

    /// Decodes the next bytes of the file. The body gets each entry, in order, since the file was last
    /// rewritten. Damage is thrown as far as the bytes so far show it.
    public mutating func append(
        _ bytes: ArraySlice<UInt8>, forEach body: (MemoryEntry) -> Void = { _ in }
    ) throws(MemoryDamage) {
        pending.append(contentsOf: bytes)
        if !hasHeader { try readHeader() }
        guard hasHeader else { return }
        if brokenAt == nil { try readFrames(body) }
        if brokenAt != nil { try searchFrames(upTo: pending.count - MemoryFormat.largestFrameBytes) }
    }

    /// Checks the remaining bytes at the end of the file; returns the end of the last valid frame. Throws
    /// `notMemory` when the header is incomplete, and `damaged` when a valid frame follows an invalid one.
    public mutating func finish() throws(MemoryDamage) -> Int {
        guard hasHeader else { throw .notMemory }
        let end = brokenAt ?? place
        if brokenAt == nil {
            // A frame that extends past the end of the file may have a damaged length.
            brokenAt = place
            drop(min(1, pending.count))
        }
        try searchFrames(upTo: pending.count)
        return end
    }

    private mutating func readHeader() throws(MemoryDamage) {
        guard pending.starts(with: MemoryFormat.mark.prefix(pending.count)) else { throw .notMemory }
        guard pending.count >= MemoryFormat.formerHeaderBytes else { return }
        let numberEnd = MemoryFormat.mark.count + 4
        guard number(at: numberEnd) == Checksum.of(pending[..<numberEnd]) else { throw .notMemory }
        let format = number(at: MemoryFormat.mark.count)
        guard format <= MemoryFormat.number else { throw .newerFormat(format) }
        let hasOrigin = format >= MemoryFormat.originNumber
        let end = hasOrigin ? MemoryFormat.headerBytes : MemoryFormat.formerHeaderBytes
        guard pending.count >= end else { return }
        if hasOrigin {
            let start = MemoryFormat.formerHeaderBytes
            guard number(at: end - 4) == Checksum.of(pending[start..<end - 4]) else { throw .notMemory }
            let fleet = UInt64(number(at: start)) | UInt64(number(at: start + 4)) << 32
            memory.origin = MemoryOrigin(fleet: fleet == 0 ? nil : fleet, generation: number(at: start + 8))
        }
        hasHeader = true
        drop(end)
    }

    private mutating func readFrames(_ body: (MemoryEntry) -> Void) throws(MemoryDamage) {
        var consumed = 0
        defer { drop(consumed) }
        while true {
            switch frame(at: consumed) {
            case .frame(let content):
                do throws(RecordError) {
                    try apply(pending[content], body)
                } catch {
                    throw .malformed(byte: place + consumed, reason: error.description)
                }
                consumed = content.upperBound
            case .tooShort: return
            case .nothing:
                brokenAt = place + consumed
                consumed += 1
                return
            }
        }
    }

    /// Searches for a valid frame after an invalid one.
    private mutating func searchFrames(upTo end: Int) throws(MemoryDamage) {
        guard let brokenAt, end > 0 else { return }
        for start in 0..<end {
            if case .frame = frame(at: start) { throw .damaged(byte: brokenAt) }
        }
        drop(end)
    }

    private mutating func drop(_ count: Int) {
        pending.removeFirst(count)
        place += count
    }

    private func frame(at start: Int) -> Found {
        let contentStart = start + MemoryFormat.frameHeadBytes
        guard contentStart <= pending.count else { return .tooShort }
        let length = Int(number(at: start + 4))
        // With a length of zero, any eight zero bytes would be a frame.
        guard (1...MemoryFormat.largestFrameBytes).contains(length) else { return .nothing }
        let content = contentStart..<contentStart + length
        guard content.upperBound <= pending.count else { return .tooShort }
        return number(at: start) == Checksum.of(pending[content]) ? .frame(content) : .nothing
    }

    private func number(at start: Int) -> UInt32 {
        pending[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func apply(
        _ frame: ArraySlice<UInt8>, _ body: (MemoryEntry) -> Void
    ) throws(RecordError) {
        var reader = RecordReader(frame)
        guard let content = MemoryFormat.Content(rawValue: try reader.readByte()) else {
            throw .malformed(field: "content")
        }
        while reader.bytesLeft > 0 {
            switch content {
            case .births:
                let device = try reader.read(DeviceID.self)
                let state = try reader.read(ACState.self)
                memory.set(
                    DeviceMemory(newborn: state, incarnation: try reader.read(Incarnation.self)), of: device)
            case .causelessMemories, .memories:
                let device = try reader.read(DeviceID.self)
                var known = try reader.read(DeviceMemory.self)
                if content == .memories { known.cause = try reader.read(ChangeCause.self) }
                memory.set(known, of: device)
            case .airConditioners:
                let device = try reader.read(DeviceID.self)
                memory.setAirConditioner(try reader.read(ACState.self), of: device)
            case .settings:
                let device = try reader.read(DeviceID.self)
                memory.setSettings(try reader.read(DeviceSettings.self), of: device)
            case .entries:
                let entry = try reader.read(MemoryEntry.self)
                memory.apply(entry)
                body(entry)
            }
        }
    }
}

/// The reason why bytes cannot be read as a node's memory.
public enum MemoryDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// The header is missing or invalid.
    case notMemory
    /// The file has a newer format than this program reads.
    case newerFormat(UInt32)
    /// The frame at this byte is invalid and a valid one follows, so it is not an interrupted write.
    case damaged(byte: Int)
    /// The frame at this byte has a correct checksum and an invalid content.
    case malformed(byte: Int, reason: String)
    /// The file ends in an incomplete frame, before the length that its witness recorded.
    case lostEnd(byte: UInt64, written: UInt64)
    /// The file belongs to another fleet.
    case otherFleet
    /// The file of the witness is invalid.
    case notWitness(reason: String)

    public var description: String {
        switch self {
        case .notMemory: "it does not begin as a node's memory"
        case .newerFormat(let number):
            "its format is \(number), and this program reads up to \(MemoryFormat.number)"
        case .damaged(let byte): "it is damaged at byte \(byte), and goes on behind that"
        case .malformed(let byte, let reason): "at byte \(byte) is what cannot be: \(reason)"
        case .lostEnd(let byte, let written): "it is whole up to byte \(byte), and was up to \(written)"
        case .otherFleet: "it belongs to another fleet"
        case .notWitness(let reason): "it does not say how far a node's memory goes: \(reason)"
        }
    }
}
