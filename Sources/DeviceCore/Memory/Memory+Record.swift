import FleetProtocol
public import Records

extension MemoryEntry: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(device)
        writer.put(reported)
        writer.put(epoch)
        switch cause {
        case .command(let used):
            writer.put(byte: 1)
            writer.put(used)
        case .hand: writer.put(byte: 2)
        case .epoch: writer.put(byte: 3)
        case .reset: writer.put(byte: 4)
        case .airConditioner(let actual):
            writer.put(byte: 5)
            writer.put(actual)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        device = try reader.take(DeviceID.self)
        reported = try reader.take(DeviceState.self)
        epoch = try reader.take(Epoch.self)
        switch try reader.takeByte() {
        case 1: cause = .command(try reader.take(Used.self))
        case 2: cause = .hand
        case 3: cause = .epoch
        case 4: cause = .reset
        case 5: cause = .airConditioner(try reader.take(ACState.self))
        default: throw .malformed(field: "cause")
        }
    }
}

extension MemoryEntry.Used: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(sequence)
        writer.put(requestID)
        writer.put(verdict)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        sequence = try reader.take(CommandSequence.self)
        requestID = try reader.take(RequestID.self)
        verdict = try reader.take(Verdict.self)
    }
}

extension Judgement: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(verdict)
        writer.put(version)
        writer.put(state)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        verdict = try reader.take(Verdict.self)
        version = try reader.take(Version.self)
        state = try reader.take(ACState.self)
    }
}

extension DeviceMemory: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(reported)
        writer.put(epoch)
        writer.put(lastSequence)
        guard lastSequence != .zero else { return }
        writer.put(lastRequest)
        writer.put(lastJudgement)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(try reader.take(DeviceState.self))
        epoch = try reader.take(Epoch.self)
        lastSequence = try reader.take(CommandSequence.self)
        guard lastSequence != .zero else { return }
        lastRequest = try reader.take(RequestID.self)
        lastJudgement = try reader.take(Judgement.self)
    }
}
