// Made by protoc-gen-fleetwire from proto/mapping/ObserverCore.records: `make proto` makes it again.
// swift-format-ignore-file

public import FileFraming
import FleetProtocol
import FleetTime

extension RecordingStart: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(at)
        writer.put(recording)
        writer.put(number)
        writer.put(account)
        writer.put(seed)
        writer.put(isFresh)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let at = try reader.take(Moment.self)
        let recording = try reader.take(UInt64.self)
        let number = try reader.take(UInt32.self)
        let account = try reader.takeText("account")
        let seed = try reader.take(UInt64.self)
        let isFresh = try reader.takeBool("freshness")
        self.init(at: at, recording: recording, number: number, account: account, seed: seed, isFresh: isFresh)
    }
}
