// Made by protoc-gen-fleetwire from proto/mapping/DeviceCore.records: `make proto` makes it again.
// swift-format-ignore-file

public import FleetProtocol

extension MemoryEntry.Used: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(commandNumber)
        writer.put(requestID)
        writer.put(verdict)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let commandNumber = try reader.read(CommandNumber.self)
        let requestID = try reader.read(RequestID.self)
        let verdict = try reader.read(Verdict.self)
        self.init(commandNumber: commandNumber, requestID: requestID, verdict: verdict)
    }
}

extension Judgement: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(verdict)
        writer.put(version)
        writer.put(state)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let verdict = try reader.read(Verdict.self)
        let version = try reader.read(Version.self)
        let state = try reader.read(ACState.self)
        self.init(verdict: verdict, version: version, state: state)
    }
}
