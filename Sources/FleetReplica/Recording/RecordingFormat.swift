public import FleetProtocol

/// The file format of a recording: a header followed by blocks.
///
/// The header consists of a magic number, the format number, and the checksum of both. A block consists of
/// the checksum of its content, the content's length, and the content: a kind byte, the block's last
/// instant, and the data. Checksums and lengths have four bytes, little-endian.
enum RecordingFormat {
    enum Content: UInt8 {
        /// The first block of a file: the recording's account, and the seed of an empty replica.
        case start = 1
        /// The state of a replica without its rows, which follow.
        case state = 2
        /// A part of a state: an equivalent chunk of a snapshot.
        case rows = 3
        case entries = 4
    }

    /// The format number that this program writes, and the highest that it reads.
    static let number: UInt32 = 1
    static let mark = Array("sensirec".utf8)
    static let headerBytes = 16
    /// The length of the checksum and the length field before a block's content.
    static let blockHeadBytes = 8
    /// The length of a content's kind and instant.
    static let contentHeadBytes = 17
    /// The length from which entries are closed as a block.
    static let fullBlockBytes = 64 * 1_024
    /// The largest content: a full block may end with a chunk, which has little more than 64 KiB.
    static let largestBlockBytes = 160 * 1_024

    static let header: [UInt8] = {
        var writer = RecordWriter()
        for byte in mark { writer.put(byte: byte) }
        writer.put(number)
        writer.put(Checksum.of(writer.bytes))
        return writer.bytes
    }()

    static func block(_ content: RecordWriter) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(Checksum.of(content.bytes))
        writer.put(block: content.bytes)
        return writer.bytes
    }
}

/// The first block of a recording's file.
public struct RecordingStart: Sendable, Equatable {
    /// The time when the file was created.
    public let at: Moment
    /// The identifier of the file's recording: 64 random bits.
    public let recording: UInt64
    /// The index of the file in the recording, from 0.
    public let number: UInt32
    /// The account of the devices.
    public let account: String
    /// The seed of the empty replica at that time.
    let seed: UInt64
    /// Whether playback continues with that empty replica; otherwise a state block follows.
    let isFresh: Bool
}

/// The reason why a file is not a recording, or not one that this program can read.
public enum RecordingDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not begin with the header of a recording.
    case notRecording
    case newerFormat(UInt32)
    /// The block at this byte is corrupt, and intact blocks follow it: it is not a torn write at the end.
    case damaged(byte: Int)
    /// The block at this byte has a correct checksum and invalid content.
    case malformed(byte: Int, reason: String)

    /// The cause, in words.
    public var description: String {
        switch self {
        case .notRecording: "not a recording"
        case .newerFormat(let number):
            "format \(number) is newer than this program supports (up to \(RecordingFormat.number))"
        case .damaged(let byte): "damaged at byte \(byte), with intact data after it"
        case .malformed(let byte, let reason): "invalid entry at byte \(byte): \(reason)"
        }
    }
}

/// The index of a recording's file: its blocks' positions and times, without the entries.
public struct RecordingIndex: Sendable, Equatable {
    /// A position where a replay can begin.
    public struct Entrance: Sendable, Equatable {
        /// The offset of the block's first byte.
        public let byte: Int
        /// The time when the block was written.
        public let at: Moment
    }

    /// The first block of the file.
    public let start: RecordingStart
    /// The positions where a replay can begin: the file's first block, and each state after it.
    public internal(set) var entrances: [Entrance]
    /// The time of the last block.
    public internal(set) var lastAt: Moment
    /// The offset of the end of the last intact block.
    public internal(set) var endByte: Int
    /// The number of bytes of an incomplete write after that offset; usually 0.
    public internal(set) var tornBytes = 0
}

/// An input of a replica or a change of the session, with its time.
public struct RecordingEntry: Sendable {
    /// The kinds of entry.
    public enum Body: Sendable {
        case input(Replica.Input)
        /// The controller did not know the session; the advice to the user.
        case signedOut(String)
        /// The session was valid again.
        case signedIn
        /// The recording was ended normally.
        case end
    }

    /// The time of the entry.
    public let at: Moment
    /// The content of the entry.
    public let body: Body

    /// An entry of those values.
    public init(at: Moment, _ body: Body) {
        self.at = at
        self.body = body
    }

    private enum Code: UInt8 {
        case update = 1
        case chunk, pullFailed, connecting, established, failed, tick, signedOut, signedIn, end
    }

    /// Encodes the entry; messages have their encoding on the wire.
    func write(to writer: inout RecordWriter) {
        func begin(_ code: Code) {
            writer.put(byte: code.rawValue)
            writer.put(at)
        }
        switch body {
        case .input(.update(let update)):
            begin(.update)
            writer.put(block: update.wireBytes)
        case .input(.chunk(let chunk, let pull)):
            begin(.chunk)
            writer.put(pull)
            writer.put(block: chunk.replyBytes)
        case .input(.pullFailed(let pull)):
            begin(.pullFailed)
            writer.put(pull)
        case .input(.connection(.connecting)): begin(.connecting)
        case .input(.connection(.established)): begin(.established)
        case .input(.connection(.failed(let why))):
            begin(.failed)
            writer.put(block: why.utf8)
        case .input(.tick): begin(.tick)
        case .signedOut(let advice):
            begin(.signedOut)
            writer.put(block: advice.utf8)
        case .signedIn: begin(.signedIn)
        case .end: begin(.end)
        }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        guard let code = Code(rawValue: try reader.readByte()) else { throw .malformed(field: "kind") }
        at = try reader.read(Moment.self)
        body =
            switch code {
            case .update: .input(.update(try Self.update(try reader.readBlock())))
            case .chunk:
                .input(
                    .chunk(
                        answering: try reader.read(Replica.Pull.self),
                        try SnapshotChunk(reply: reader.readBlock())))
            case .pullFailed: .input(.pullFailed(try reader.read(Replica.Pull.self)))
            case .connecting: .input(.connection(.connecting))
            case .established: .input(.connection(.established))
            case .failed:
                .input(.connection(.failed(String(decoding: try reader.readBlock(), as: UTF8.self))))
            case .tick: .input(.tick)
            case .signedOut: .signedOut(String(decoding: try reader.readBlock(), as: UTF8.self))
            case .signedIn: .signedIn
            case .end: .end
            }
    }

    private static func update(_ bytes: ArraySlice<UInt8>) throws(RecordError) -> StreamUpdate {
        do throws(WireError) {
            return try StreamUpdate(wireBytes: Array(bytes))
        } catch {
            throw .malformed(field: "update")
        }
    }
}

extension Replica.Input {
    /// Returns the input for a chunk; the file has the pull first, then the chunk.
    fileprivate static func chunk(answering pull: Replica.Pull, _ chunk: SnapshotChunk) -> Replica.Input {
        .chunk(chunk, answering: pull)
    }
}

extension SnapshotChunk {
    var replyBytes: [UInt8] { ClientReply(correlation: 0, body: .snapshot(self)).wireBytes }

    init(reply bytes: ArraySlice<UInt8>) throws(RecordError) {
        let reply: ClientReply
        do throws(WireError) {
            reply = try ClientReply(wireBytes: Array(bytes))
        } catch {
            throw .malformed(field: "chunk")
        }
        guard case .snapshot(let chunk) = reply.body else { throw .malformed(field: "chunk") }
        self = chunk
    }
}
