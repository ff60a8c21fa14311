import Records

/// How a node's memory lies in a file: a header, and frames behind it.
///
/// The header is a mark, the number of the format, and the checksum of both. A frame is the checksum of its
/// content, the length of that, and itself: a byte that says what it holds, and as many of those as there
/// are. Checksums and lengths have four bytes, the lowest first.
enum MemoryFormat {
    /// What a frame holds.
    enum Content: UInt8 {
        /// Devices to which nothing has happened: 20 bytes each, or 24.
        case births = 1
        /// Whole memories of devices, as they were before the fourth format: nothing says what last changed
        /// them.
        case causelessMemories = 2
        /// What happened, in order.
        case entries = 3
        /// What air conditioners are at whose pods assume something else.
        case airConditioners = 4
        /// Whole memories of devices, each with what last changed it.
        case memories = 5
        /// What devices are set to do by themselves.
        case settings = 6
    }

    /// The format that this program writes, and the newest that it reads.
    ///
    /// Before the second no state has more than four settings, before the third nothing is said of air
    /// conditioners, and before the fourth nothing of what changed a device, nor of what it does by itself;
    /// before the fifth that is no schedule, and before the sixth nobody noted when a timer was set.
    static let number: UInt32 = 6

    static let mark = Array("sensimem".utf8)
    static let headerBytes = 16
    static let frameHeadBytes = 8
    /// A frame is ended once its content is as long.
    static let fullFrameBytes = 32 * 1_024
    /// No content is longer: a full frame may end in a record, which is less than 66 KiB.
    static let largestFrameBytes = 128 * 1_024

    static let header: [UInt8] = {
        var writer = RecordWriter()
        for byte in mark { writer.put(byte: byte) }
        writer.put(number)
        writer.put(Checksum.of(writer.bytes))
        return writer.bytes
    }()
}
