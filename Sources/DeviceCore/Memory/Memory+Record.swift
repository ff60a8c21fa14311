import FleetProtocol
public import Records

extension MemoryEntry: Recordable {
    /// What happened: the lower three bits of a byte.
    ///
    /// The next bit says whether settings follow at the end, and the upper four what last changed the state.
    private enum Kind {
        static let command: UInt8 = 1
        static let change: UInt8 = 2
        static let epoch: UInt8 = 3
        static let reset: UInt8 = 4
        static let airConditioner: UInt8 = 5
        static let settings: UInt8 = 6

        static let mask: UInt8 = 0x07
        static let hasSettings: UInt8 = 0x08
        static let bits: UInt8 = 4
    }

    public func write(to writer: inout RecordWriter) {
        writer.put(device)
        writer.put(reported)
        writer.put(epoch)
        switch cause {
        case .command(let used):
            writer.put(byte: marked(Kind.command))
            writer.put(used)
        case .change: writer.put(byte: marked(Kind.change))
        case .epoch: writer.put(byte: marked(Kind.epoch))
        case .reset: writer.put(byte: marked(Kind.reset))
        case .settings: writer.put(byte: marked(Kind.settings))
        case .airConditioner:
            writer.put(byte: marked(Kind.airConditioner))
            writer.put(airConditioner ?? reported.state)
        }
        if let settings { writer.put(settings) }
    }

    private func marked(_ kind: UInt8) -> UInt8 {
        kind | (settings == nil ? 0 : Kind.hasSettings) | changedBy.rawValue << Kind.bits
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        device = try reader.take(DeviceID.self)
        reported = try reader.take(DeviceState.self)
        epoch = try reader.take(Epoch.self)
        var airConditioner: ACState?
        let mark = try reader.takeByte()
        guard var changedBy = ChangeCause(rawValue: mark >> Kind.bits) else {
            throw .malformed(field: "what changed it")
        }
        switch mark & Kind.mask {
        case Kind.command: cause = .command(try reader.take(Used.self))
        case Kind.change:
            cause = .change
            // Before the fourth format nobody said what, and most was of hand remotes.
            if changedBy == .request { changedBy = .handRemote }
        case Kind.epoch: cause = .epoch
        case Kind.reset: cause = .reset
        case Kind.settings: cause = .settings
        case Kind.airConditioner:
            cause = .airConditioner
            airConditioner = try reader.take(ACState.self)
        default: throw .malformed(field: "cause")
        }
        self.changedBy = changedBy
        self.airConditioner = airConditioner
        settings = mark & Kind.hasSettings == 0 ? nil : try reader.take(DeviceSettings.self)
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
