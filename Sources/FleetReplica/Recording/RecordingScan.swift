import FleetProtocol

/// Reads a recording's file from start to end, piece by piece, and returns its index.
///
/// An incomplete write at the end is left out and reported, because a process can die while it writes. Any
/// other invalid data is damage.
public struct RecordingScan: Sendable {
    private enum Found {
        case block(Range<Int>)
        case tooShort
        case nothing
    }

    private var index: RecordingIndex?
    /// The bytes not yet scanned; `place` is the offset of the first of them in the file, `next` the next one
    /// in the array.
    private var pending: [UInt8] = []
    private var place = 0
    private var next = 0
    private var hasHeader = false
    /// The offset of the first corrupt block; nil without one.
    private var brokenAt: Int?

    /// A scan at the start of a file.
    public init() {}

    /// Scans the next bytes of the file.
    ///
    /// - Throws: ``RecordingDamage`` that the bytes so far show.
    public mutating func append(_ bytes: ArraySlice<UInt8>) throws(RecordingDamage) {
        pending.append(contentsOf: bytes)
        if !hasHeader { try readHeader() }
        guard hasHeader else { return }
        if brokenAt == nil { try readBlocks() }
        if brokenAt != nil { try searchBlocks(upTo: pending.count - RecordingFormat.largestBlockBytes) }
        pending.removeFirst(next)
        place += next
        next = 0
    }

    /// Ends the scan after all bytes, and returns the index.
    ///
    /// - Throws: `notRecording` if the file has no start block; `damaged`.
    public mutating func finish() throws(RecordingDamage) -> RecordingIndex {
        guard hasHeader else { throw .notRecording }
        let end = brokenAt ?? place
        if brokenAt == nil, !pending.isEmpty {
            // A block that exceeds the rest of the file may have a corrupt length.
            brokenAt = place
            next = 1
        }
        let size = place + pending.count
        try searchBlocks(upTo: pending.count)
        guard var index else { throw .notRecording }
        index.endByte = end
        index.tornBytes = size - end
        return index
    }

    private mutating func readHeader() throws(RecordingDamage) {
        guard pending.starts(with: RecordingFormat.mark.prefix(pending.count)) else { throw .notRecording }
        guard pending.count >= RecordingFormat.headerBytes else { return }
        let numberEnd = RecordingFormat.mark.count + 4
        guard number(at: numberEnd) == Checksum.of(pending[..<numberEnd]) else { throw .notRecording }
        let format = number(at: RecordingFormat.mark.count)
        guard format <= RecordingFormat.number else { throw .newerFormat(format) }
        hasHeader = true
        next = RecordingFormat.headerBytes
    }

    private mutating func readBlocks() throws(RecordingDamage) {
        while true {
            switch block(at: next) {
            case .block(let content):
                do throws(RecordError) {
                    try record(pending[content], at: place + next)
                } catch {
                    throw .malformed(byte: place + next, reason: error.description)
                }
                next = content.upperBound
                index?.endByte = place + next
            case .tooShort: return
            case .nothing:
                brokenAt = place + next
                next += 1
                return
            }
        }
    }

    private mutating func record(_ content: ArraySlice<UInt8>, at byte: Int) throws(RecordError) {
        var reader = RecordReader(content)
        guard let kind = RecordingFormat.Content(rawValue: try reader.readByte()) else {
            throw .malformed(field: "content")
        }
        if kind == .start {
            guard index == nil else { throw .malformed(field: "second start") }
            let start = try RecordingStart(from: &reader)
            index = RecordingIndex(
                start: start, entrances: [RecordingIndex.Entrance(byte: byte, at: start.at)],
                lastAt: start.at,
                endByte: 0)
            return
        }
        guard index != nil else { throw .malformed(field: "start") }
        let at = try reader.read(Moment.self)
        index?.lastAt = at
        if kind == .state { index?.entrances.append(RecordingIndex.Entrance(byte: byte, at: at)) }
    }

    /// Searches for an intact block after a corrupt one.
    private mutating func searchBlocks(upTo end: Int) throws(RecordingDamage) {
        guard let brokenAt else { return }
        while next < end {
            if case .block = block(at: next) { throw .damaged(byte: brokenAt) }
            next += 1
        }
    }

    private func block(at start: Int) -> Found {
        let contentStart = start + RecordingFormat.blockHeadBytes
        guard contentStart <= pending.count else { return .tooShort }
        let length = Int(number(at: start + 4))
        guard (RecordingFormat.contentHeadBytes...RecordingFormat.largestBlockBytes).contains(length) else {
            return .nothing
        }
        let content = contentStart..<contentStart + length
        guard content.upperBound <= pending.count else { return .tooShort }
        return number(at: start) == Checksum.of(pending[content]) ? .block(content) : .nothing
    }

    private func number(at start: Int) -> UInt32 {
        pending[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
