// Made by protoc-gen-fleetwire from proto/mapping/ControllerCore.records: `make proto` makes it again.
// swift-format-ignore-file

public import FleetProtocol

extension RequestContent: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(device)
        writer.put(kind)
        writer.put(expected)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let device = try reader.read(DeviceID.self)
        let kind = try reader.read(Command.Kind.self)
        let expected = try reader.readOptional(Expectation.self, "expectation")
        self.init(device: device, kind: kind, expected: expected)
    }
}

extension RequestRecord: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(account)
        writer.put(requestID)
        writer.put(content)
        writer.put(user)
        writer.put(arrivedAt)
        writer.put(deadline)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let account = try reader.read(AccountID.self)
        let requestID = try reader.read(RequestID.self)
        let content = try reader.read(RequestContent.self)
        let user = try reader.read(Email.self)
        let arrivedAt = try reader.read(WallTime.self)
        let deadline = try reader.read(WallTime.self)
        self.init(account: account, requestID: requestID, content: content, user: user, arrivedAt: arrivedAt, deadline: deadline)
    }
}

extension DispatchRecord: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(identity)
        writer.put(change)
        writer.put(base)
        writer.put(versionBefore)
        writer.put(resolution)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let identity = try reader.read(CommandIdentity.self)
        let change = try reader.read(ACStateChange.self)
        let base = try reader.readOptional(Version.self, "base")
        let versionBefore = try reader.read(Version.self)
        let resolution = try reader.read(UInt32.self)
        self.init(identity: identity, change: change, base: base, versionBefore: versionBefore, resolution: resolution)
    }
}

extension BatchLink: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(number)
        writer.put(checksum)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let number = try reader.read(UInt64.self)
        let checksum = try reader.read(UInt32.self)
        self.init(number: number, checksum: checksum)
    }
}

extension StorePosition: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(boot)
        writer.put(onDisk)
        writer.put(changes)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let boot = try reader.readText("boot")
        let onDisk = try reader.read(UInt64.self)
        let changes = try reader.read(UInt64.self)
        self.init(boot: boot, onDisk: onDisk, changes: changes)
    }
}

extension JournalEntry: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .admitted(let value0):
            writer.put(byte: 1)
            writer.put(value0)
        case .dispatched(let value0, let value1):
            writer.put(byte: 2)
            writer.put(value0)
            writer.put(value1)
        case .cancelRequested(let value0, let value1):
            writer.put(byte: 3)
            writer.put(value0)
            writer.put(value1)
        case .ended(let account, let report, let content, let time):
            writer.put(byte: 4)
            writer.put(account)
            writer.put(report)
            writer.put(content)
            writer.put(time)
        case .horizonRaised(let time, of: nil):
            writer.put(byte: 5)
            writer.put(time)
        case .horizonRaised(let time, of: let account?):
            writer.put(byte: 7)
            writer.put(account)
            writer.put(time)
        case .segmentsRemoved(let before):
            writer.put(byte: 8)
            writer.put(before)
        case .segmentBegan(let after):
            writer.put(byte: 9)
            writer.put(UInt32(after.count))
            for element in after { writer.put(element) }
        case .storeReached(let value0):
            writer.put(byte: 10)
            writer.put(value0)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.readByte() {
        case 1:
            let value0 = try reader.read(RequestRecord.self)
            self = .admitted(value0)
        case 2:
            let value0 = try reader.read(RequestRecord.self)
            let value1 = try reader.read(DispatchRecord.self)
            self = .dispatched(value0, value1)
        case 3:
            let value0 = try reader.read(AccountID.self)
            let value1 = try reader.read(RequestID.self)
            self = .cancelRequested(value0, value1)
        case 4:
            let account = try reader.read(AccountID.self)
            let report = try reader.read(OutcomeReport.self)
            let content = try reader.readOptional(RequestContent.self, "content")
            let time = try reader.read(WallTime.self)
            self = .ended(account, report.naming(content), content: content, at: time)
        case 5:
            let time = try reader.read(WallTime.self)
            self = .horizonRaised(time)
        case 7:
            let account = try reader.read(AccountID.self)
            let time = try reader.read(WallTime.self)
            self = .horizonRaised(time, of: account)
        case 8:
            let before = try reader.readInt("segment")
            self = .segmentsRemoved(before: before)
        case 9:
            let afterCount = try reader.read(UInt32.self)
            var after: [JournalSegment] = []
            for _ in 0..<afterCount { after.append(try reader.read(JournalSegment.self)) }
            self = .segmentBegan(after: after)
        case 10:
            let value0 = try reader.read(StorePosition.self)
            self = .storeReached(value0)
        default: throw .malformed(field: "kind")
        }
    }
}
