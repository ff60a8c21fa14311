import DeviceCore
public import FuzzSupport

/// The decoder of device memory.
public enum FuzzMemory {
    /// Its target.
    public static let targets = [
        FuzzTarget("memory") { input, heap in
            try memory(input, heap)
            try memory(Corrected.file(input), heap)
        }
    ]

    private static func memory(_ input: [UInt8], _ heap: HeapMeter) throws {
        func entries(of pieces: [ArraySlice<UInt8>]) throws -> (entries: [MemoryEntry], end: Int) {
            var replay = MemoryReplay()
            var entries: [MemoryEntry] = []
            for piece in pieces { try replay.append(piece) { entries.append($0) } }
            return (entries, try replay.finish())
        }
        let read = try heap.decode(input) { try entries(of: [$0[...]]) }
        let middle = input.count / 2
        let inPieces = try? entries(of: [input[..<middle], input[middle...]])
        guard read?.entries == inPieces?.entries, read?.end == inPieces?.end else {
            throw FuzzTarget.Violation("a memory file read in pieces differs")
        }
        guard let read else { return }
        var writer = MemoryWriter()
        for entry in read.entries { writer.put(entry) }
        writer.endFrame()
        guard try entries(of: [MemoryWriter.header()[...], writer.bytes[...]]).entries == read.entries else {
            throw FuzzTarget.Violation("entries of a memory file differ after writing: \(read.entries)")
        }
    }
}
