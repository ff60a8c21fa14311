import FleetReplica
import Records
public import Stepping

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
