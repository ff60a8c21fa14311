import Records

/// How a recording lies in a file: a header, and blocks behind it.
///
/// The header is a mark, the number of the format, and the checksum of both. A block is the checksum of its
/// content, the length of that, and itself: a byte that says what it holds, the last moment in it, and as
/// much as there is of that. Checksums and lengths have four bytes, the lowest first.
enum RecordingFormat {
    /// What a block holds.
    enum Content: UInt8 {
        /// The first of a file: whose recording it is, and the seed of a replica that knows nothing.
        case start = 1
        /// All that a replica knows, the rows aside, which follow.
        case state = 2
        /// A part of a state: a chunk of a snapshot that would say the same.
        case rows = 3
        /// What happened, in order.
        case entries = 4
    }

    /// The format that this program writes, and the newest that it reads.
    static let number: UInt32 = 1
    static let mark = Array("sensirec".utf8)
    static let headerBytes = 16
    /// What stands before a block's content.
    static let blockHeadBytes = 8
    /// A content's kind and moment.
    static let contentHeadBytes = 17
    /// Entries are ended as a block once they are as long.
    static let fullBlockBytes = 64 * 1_024
    /// No content is longer: a full block may end in a chunk, which has 64 KiB and a little.
    static let largestBlockBytes = 160 * 1_024

    static let header: [UInt8] = {
        var writer = RecordWriter()
        for byte in mark { writer.put(byte: byte) }
        writer.put(number)
        writer.put(Checksum.of(writer.bytes))
        return writer.bytes
    }()

    /// A block of that content.
    static func block(_ content: RecordWriter) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(Checksum.of(content.bytes))
        writer.put(block: content.bytes)
        return writer.bytes
    }
}
