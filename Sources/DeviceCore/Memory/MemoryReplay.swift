import FleetProtocol
import Records

/// Reads a node's memory from the bytes of its file, piece by piece.
///
/// The end may be torn, for a process can die while it writes: what is not whole there was told to nobody,
/// and is left out. Anything else that is not as it was written is damage.
public struct MemoryReplay: Sendable {
    private enum Found {
        case frame(Range<Int>)
        case tooShort
        case nothing
    }

    /// What the bytes so far say.
    public private(set) var memory = NodeMemory()

    /// Bytes that were not understood yet, and the place of their first in the file.
    private var pending: [UInt8] = []
    private var place = 0
    private var hasHeader = false
    /// Where the first frame begins that is not as it was written.
    private var brokenAt: Int?

    /// A replay that has read nothing.
    public init() {}

    /// Takes the next bytes of the file.
    ///
    /// - Parameter body: Told everything that happened, in order, since the file was last written anew.
    /// - Throws: Whatever ``MemoryDamage`` can be told of so far.
    public mutating func take(
        _ bytes: ArraySlice<UInt8>, forEach body: (MemoryEntry) -> Void = { _ in }
    ) throws(MemoryDamage) {
        pending.append(contentsOf: bytes)
        if !hasHeader { try takeHeader() }
        guard hasHeader else { return }
        if brokenAt == nil { try takeFrames(body) }
        if brokenAt != nil { try searchFrames(upTo: pending.count - MemoryFormat.largestFrameBytes) }
    }

    /// Judges what is left once all bytes were taken.
    ///
    /// - Returns: How many bytes there are up to the end of the last whole frame.
    /// - Throws: `notMemory` when there was not even a header; `damaged`.
    public mutating func finish() throws(MemoryDamage) -> Int {
        guard hasHeader else { throw .notMemory }
        let end = brokenAt ?? place
        if brokenAt == nil {
            // A frame that is longer than what is left may be one whose length was changed.
            brokenAt = place
            drop(min(1, pending.count))
        }
        try searchFrames(upTo: pending.count)
        return end
    }

    private mutating func takeHeader() throws(MemoryDamage) {
        guard pending.starts(with: MemoryFormat.mark.prefix(pending.count)) else { throw .notMemory }
        guard pending.count >= MemoryFormat.headerBytes else { return }
        let numberEnd = MemoryFormat.mark.count + 4
        guard number(at: numberEnd) == Checksum.of(pending[..<numberEnd]) else { throw .notMemory }
        let format = number(at: MemoryFormat.mark.count)
        guard format <= MemoryFormat.number else { throw .newerFormat(format) }
        hasHeader = true
        drop(MemoryFormat.headerBytes)
    }

    private mutating func takeFrames(_ body: (MemoryEntry) -> Void) throws(MemoryDamage) {
        var taken = 0
        defer { drop(taken) }
        while true {
            switch frame(at: taken) {
            case .frame(let content):
                do throws(RecordError) {
                    try apply(pending[content], body)
                } catch {
                    throw .malformed(byte: place + taken, reason: error.description)
                }
                taken = content.upperBound
            case .tooShort: return
            case .nothing:
                brokenAt = place + taken
                taken += 1
                return
            }
        }
    }

    /// Looks for a whole frame behind a broken one.
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
        // A length of zero would make a frame of every eight zeros.
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
        guard let content = MemoryFormat.Content(rawValue: try reader.takeByte()) else {
            throw .malformed(field: "content")
        }
        while reader.bytesLeft > 0 {
            switch content {
            case .births:
                let device = try reader.take(DeviceID.self)
                let state = try reader.take(ACState.self)
                memory.set(
                    DeviceMemory(newborn: state, incarnation: try reader.take(Incarnation.self)), of: device)
            case .causelessMemories:
                let device = try reader.take(DeviceID.self)
                memory.set(try reader.take(DeviceMemory.self), of: device)
            case .memories:
                let device = try reader.take(DeviceID.self)
                var known = try reader.take(DeviceMemory.self)
                known.cause = try reader.take(ChangeCause.self)
                memory.set(known, of: device)
            case .airConditioners:
                let device = try reader.take(DeviceID.self)
                memory.setAirConditioner(try reader.take(ACState.self), of: device)
            case .settings:
                let device = try reader.take(DeviceID.self)
                memory.setSettings(try reader.take(DeviceSettings.self), of: device)
            case .entries:
                let entry = try reader.take(MemoryEntry.self)
                memory.apply(entry)
                body(entry)
            }
        }
    }
}

/// Why bytes are no node's memory, or none that this program can read.
public enum MemoryDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// They do not begin as one.
    case notMemory
    /// A newer program has written them.
    case newerFormat(UInt32)
    /// A frame there is not as it was written, and whole ones come after it: that is no torn end.
    case damaged(byte: Int)
    /// A frame there is whole, and has something in it that cannot be.
    case malformed(byte: Int, reason: String)
    /// It ends before a place up to which it was written, and not where a frame ends.
    case lostEnd(byte: UInt64, written: UInt64)
    /// It is not the note of how far a memory goes.
    case notWitness(reason: String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .notMemory: "it does not begin as a node's memory"
        case .newerFormat(let number):
            "its format is \(number), and this program reads up to \(MemoryFormat.number)"
        case .damaged(let byte): "it is damaged at byte \(byte), and goes on behind that"
        case .malformed(let byte, let reason): "at byte \(byte) is what cannot be: \(reason)"
        case .lostEnd(let byte, let written): "it is whole up to byte \(byte), and was up to \(written)"
        case .notWitness(let reason): "it does not say how far a node's memory goes: \(reason)"
        }
    }
}
