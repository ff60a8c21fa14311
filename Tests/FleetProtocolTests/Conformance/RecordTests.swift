import ConformanceSupport
import FleetProtocol
import Testing

/// Records are bytes of files that users keep, so their layout never changes.
@Suite("Records of values in files")
struct RecordTests {
    @Test("each value is written as the bytes of records.txt, and these bytes are read as the value")
    func vectors() throws {
        let written = RecordSamples.all.map { name, value in
            var writer = RecordWriter()
            writer.put(value)
            return VectorFile.Entry(name: name, lines: [], bytes: writer.bytes)
        }
        let file = try VectorFile.read(
            "records",
            writing: VectorFile(
                heading: ["Values as they are in files: a name, the bytes.", "Made by RecordTests."],
                entries: written))
        #expect(file.entries == written)
        for (entry, sample) in zip(file.entries, RecordSamples.all) {
            #expect(try again(sample.value, from: entry.bytes) == entry.bytes, "\(entry.name)")
        }
    }

    @Test("each record that ends too early, at whatever byte, is truncated")
    func truncated() throws {
        for (name, value) in RecordSamples.all {
            var writer = RecordWriter()
            writer.put(value)
            for count in 0..<writer.bytes.count {
                #expect(throws: RecordError.truncated, "\(name), \(count) bytes") {
                    try again(value, from: Array(writer.bytes[..<count]))
                }
            }
        }
    }

    @Test("a time that no clock shows is malformed, because differences of such times overflow")
    func impossibleTimes() {
        func expectMalformed(_ value: some Recordable) {
            var writer = RecordWriter()
            writer.put(value)
            #expect(throws: RecordError.malformed(field: "time")) { try again(value, from: writer.bytes) }
        }
        for milliseconds in [Int64.min, -1_000_000_000_000_001, 1_000_000_000_000_001, .max] {
            expectMalformed(WallTime(unixMilliseconds: milliseconds))
        }
        for nanoseconds in [Int64.min, -1, 1 << 62 + 1, .max] {
            expectMalformed(MonotonicTime(nanoseconds: nanoseconds))
        }
    }

    /// The bytes of the value of the same type that is read from bytes.
    private func again<Value: Recordable>(_ value: Value, from bytes: [UInt8]) throws -> [UInt8] {
        var writer = RecordWriter()
        writer.put(try RecordReader.read(Value.self, from: bytes))
        return writer.bytes
    }
}
