public import FleetProtocol

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

    /// Decodes an entry.
    ///
    /// - Throws: `RecordError` if the bytes are malformed.
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
    /// The bytes of a reply with this chunk.
    var replyBytes: [UInt8] { ClientReply(correlation: 0, body: .snapshot(self)).wireBytes }

    /// Decodes the chunk of a reply.
    ///
    /// - Throws: `malformed` if the reply has no chunk.
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
