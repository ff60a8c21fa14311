import ControllerCore
import FleetProtocol
public import FuzzSupport

/// The decoder of the journal.
public enum FuzzJournal {
    /// Its target; an input has the batches of a segment, which follow its header.
    public static let targets = [
        FuzzTarget("journal", heapBytes: 512 * 1_024) { input, heap in
            try journal(input, heap)
            try journal(withLinks(input), heap)
        }
    ]

    private static func journal(_ input: [UInt8], _ heap: HeapMeter) throws {
        let entries = try heap.decode(input) { input in
            var entries: [JournalEntry] = []
            var reader = BatchReader()
            var ends = JournalReplay()
            var replay = JournalReplay()
            for batch in batches(in: input) {
                try? ends.readEnds(input[batch], of: 1)
                try reader.read(input[batch]) { entry in
                    entries.append(entry)
                    replay.apply(entry)
                }
            }
            return entries
        }
        for entry in entries ?? [] { try expectSameAfterWriting(entry) }
    }

    /// The places of the batches, each after its length in four bytes.
    private static func batches(in input: [UInt8]) -> [Range<Int>] {
        var batches: [Range<Int>] = []
        var place = 4
        while place <= input.count {
            let length = Corrected.number(at: place - 4, in: input)
            guard length > 0, length <= input.count - place else { break }
            batches.append(place..<place + length)
            place += length + 4
        }
        return batches
    }

    /// Returns a segment with correct checksums, numbers and links.
    private static func withLinks(_ input: [UInt8]) -> [UInt8] {
        var (output, last, count) = (input, UInt32(0), UInt64(0))
        for batch in batches(in: input) where batch.count > 17 {
            if output[batch.lowerBound + 4] == 0 {
                count += 1
                Corrected.set(count, at: batch.lowerBound + 5, in: &output)
                Corrected.set(last, at: batch.lowerBound + 13, in: &output)
            }
            last = Checksum.of(output[batch].dropFirst(4))
            Corrected.set(last, at: batch.lowerBound, in: &output)
        }
        return output
    }

    private static func expectSameAfterWriting<Value: Recordable & Equatable>(_ value: Value) throws {
        var writer = RecordWriter()
        writer.put(value)
        guard let read = try? RecordReader.read(Value.self, from: writer.bytes), read == value else {
            throw FuzzTarget.Violation("\(Value.self) differs after writing: \(value)")
        }
    }
}
