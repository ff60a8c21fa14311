import FleetProtocol
import Testing

@Suite("Records")
struct FileFramingTests {
    /// A record with a field of each kind.
    private struct Sample: Recordable, Equatable {
        var small: UInt8 = 7
        var signed: Int8 = -3
        var large: UInt64 = 0x0102_0304_0506_0708
        var truth = true
        var text = "Küche 🛋"

        init() {}

        func write(to writer: inout RecordWriter) {
            writer.put(small)
            writer.put(signed)
            writer.put(large)
            writer.put(truth)
            writer.put(text)
        }

        init(from reader: inout RecordReader) throws(RecordError) {
            small = try reader.read(UInt8.self)
            signed = try reader.read(Int8.self)
            large = try reader.read(UInt64.self)
            truth = try reader.readBool("truth")
            text = try reader.readText("text")
        }
    }

    private static func bytes(_ value: some Recordable) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(value)
        return writer.bytes
    }

    @Test("a record has its fields in order, with little-endian numbers")
    func layout() {
        let head: [UInt8] = [7, 0xfd, 8, 7, 6, 5, 4, 3, 2, 1, 1, 11, 0]
        #expect(Self.bytes(Sample()) == head + Array("Küche 🛋".utf8))
    }

    @Test("a record with bytes after it is refused")
    func trailing() {
        #expect(throws: RecordError.trailing(bytes: 2)) {
            try RecordReader.read(Sample.self, from: Self.bytes(Sample()) + [0, 0])
        }
    }

    @Test("a record with an invalid boolean or invalid UTF-8 is malformed")
    func malformed() {
        var bytes = Self.bytes(Sample())
        bytes[10] = 2
        #expect(throws: RecordError.malformed(field: "truth")) {
            try RecordReader.read(Sample.self, from: bytes)
        }
        bytes[10] = 1
        bytes[13] = 0xff
        #expect(throws: RecordError.malformed(field: "text")) {
            try RecordReader.read(Sample.self, from: bytes)
        }
    }

    @Test("checksums equal the examples of RFC 3720")
    func checksum() {
        #expect(Checksum.of([]) == 0)
        #expect(Checksum.of(Array(repeating: 0, count: 32)) == 0x8a91_36aa)
        #expect(Checksum.of(Array(repeating: 0xff, count: 32)) == 0x62a8_ab43)
        #expect(Checksum.of(Array(0..<32)) == 0x46dd_794e)
        #expect(Checksum.of(Array("123456789".utf8)) == 0xe306_9283)
    }

    @Test("a checksum follows the polynomial for any length and offset", arguments: 0..<40)
    func checksumOfAnyLength(count: Int) {
        let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ count) }
        var sum: UInt32 = ~0
        for byte in bytes[3..<3 + count] {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82f6_3b78 : sum >> 1 }
        }
        #expect(Checksum.of(bytes[3..<3 + count]) == ~sum)
    }

    @Test("one reader decodes equal and different long texts in sequence")
    func oneReader() throws {
        let texts = [
            "short", "a text of more than 15 bytes", "a text of more than 15 bytes", "short",
            "another of these, and longer", "a text of more than 15 bytes",
        ]
        var reader = RecordReader([])
        let read = try texts.map { text in
            var writer = RecordWriter()
            writer.put(text)
            writer.put(UInt32(7))
            reader.begin(writer.bytes[...])
            let read = try reader.readText("text")
            #expect(try reader.read(UInt32.self) == 7)
            #expect(reader.bytesLeft == 0)
            return read
        }
        #expect(read == texts)
    }
}
