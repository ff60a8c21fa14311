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
        let at = try reader.read(Moment.self)
        let recording = try reader.read(UInt64.self)
        let number = try reader.read(UInt32.self)
        let account = try reader.readText("account")
        let seed = try reader.read(UInt64.self)
        let isFresh = try reader.readBool("freshness")
        self.init(at: at, recording: recording, number: number, account: account, seed: seed, isFresh: isFresh)
    }
}
