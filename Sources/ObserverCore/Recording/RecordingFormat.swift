import FleetReplica
import Records
public import Stepping

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

/// What a recording's file begins with.
public struct RecordingStart: Sendable, Equatable {
    /// When the file was begun.
    public let at: Moment
    /// The recording that it belongs to: 64 random bits.
    public let recording: UInt64
    /// How manieth file of the recording it is, from 0.
    public let number: UInt32
    /// Whose devices they are.
    public let account: String
    /// The seed of the replica that knows nothing at that moment.
    let seed: UInt64
    /// Whether that replica is the one that goes on; else a state follows.
    let isFresh: Bool

    func write(to writer: inout RecordWriter) {
        writer.put(byte: RecordingFormat.Content.start.rawValue)
        writer.put(at)
        writer.put(recording)
        writer.put(number)
        writer.put(account)
        writer.put(seed)
        writer.put(isFresh)
    }

    /// Takes what follows the byte that says what a block holds.
    init(from reader: inout RecordReader) throws(RecordError) {
        at = try reader.takeMoment()
        recording = try reader.take(UInt64.self)
        number = try reader.take(UInt32.self)
        account = try reader.takeText("account")
        seed = try reader.take(UInt64.self)
        isFresh = try reader.takeBool("freshness")
    }

    init(at: Moment, recording: UInt64, number: UInt32, account: String, seed: UInt64, isFresh: Bool) {
        self.at = at
        self.recording = recording
        self.number = number
        self.account = account
        self.seed = seed
        self.isFresh = isFresh
    }
}

/// Why bytes are no recording, or none that this program can read.
public enum RecordingDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// They do not begin as one.
    case notRecording
    /// A newer program has written them.
    case newerFormat(UInt32)
    /// A block there is not as it was written, and whole ones come after it: that is no torn end.
    case damaged(byte: Int)
    /// A block there is whole, and has something in it that cannot be.
    case malformed(byte: Int, reason: String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .notRecording: "it does not begin as a recording"
        case .newerFormat(let number):
            "its format is \(number), and this program reads up to \(RecordingFormat.number)"
        case .damaged(let byte): "it is damaged at byte \(byte), and goes on behind that"
        case .malformed(let byte, let reason): "at byte \(byte) is what cannot be: \(reason)"
        }
    }
}

/// What a recording's file has, and where, without the entries themselves.
public struct RecordingIndex: Sendable, Equatable {
    /// A place where a replay can begin.
    public struct Entrance: Sendable, Equatable {
        /// The first byte of its block.
        public let byte: Int
        /// When it was made.
        public let at: Moment
    }

    /// What the file begins with.
    public let start: RecordingStart
    /// Where a replay can begin: the file's first block, and each state behind it.
    public internal(set) var entrances: [Entrance]
    /// The moment of its last block.
    public internal(set) var lastAt: Moment
    /// The end of its last whole block.
    public internal(set) var endByte: Int
    /// Bytes behind that, which were not written whole; 0 mostly.
    public internal(set) var tornBytes = 0
}
