public import FileFraming

extension Outcome: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .applied(let state):
            writer.put(byte: 1)
            writer.put(state)
        case .unchanged(let state):
            writer.put(byte: 2)
            writer.put(state)
        case .conflict(let state):
            writer.put(byte: 3)
            writer.put(state)
        case .rejected(let why):
            writer.put(byte: 4)
            writer.put(why)
        case .cancelled: writer.put(byte: 5)
        case .expired: writer.put(byte: 6)
        case .undetermined(let reason):
            writer.put(byte: 7)
            writer.put(reason.rawValue)
        case .unknown: writer.put(byte: 8)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.takeByte() {
        case 1: self = .applied(try reader.take(DeviceState.self))
        case 2: self = .unchanged(try reader.take(DeviceState.self))
        case 3: self = .conflict(try reader.take(DeviceState.self))
        case 4: self = .rejected(try reader.takeText("reason"))
        case 5: self = .cancelled
        case 6: self = .expired
        case 7:
            guard let reason = UndeterminedReason(rawValue: try reader.takeByte()) else {
                throw .malformed(field: "reason")
            }
            self = .undetermined(reason)
        case 8: self = .unknown
        default: throw .malformed(field: "outcome")
        }
    }
}

/// Which kind of command it was is not in it: whoever keeps a report keeps what was asked beside it.
extension OutcomeReport: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(requestID)
        writer.put(device)
        writer.put(outcome)
        writer.put(actor)
        writer.put(versionBefore)
        writer.put(attempts)
        for part in [timing.totalUs, timing.queueUs, timing.wireUs, timing.deviceUs, timing.journalUs] {
            writer.put(part)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            requestID: try reader.take(RequestID.self),
            device: try reader.takeOptional(DeviceID.self, "device"),
            outcome: try reader.take(Outcome.self), actor: try reader.take(Email.self),
            versionBefore: try reader.take(Version.self), attempts: try reader.take(UInt32.self),
            timing: Timing(
                totalUs: try reader.take(UInt64.self), queueUs: try reader.take(UInt64.self),
                wireUs: try reader.take(UInt64.self), deviceUs: try reader.take(UInt64.self),
                journalUs: try reader.take(UInt64.self)))
    }
}

extension Verdict: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .applied: writer.put(byte: 1)
        case .unchanged: writer.put(byte: 2)
        case .conflict: writer.put(byte: 3)
        case .rejected(let why):
            writer.put(byte: 4)
            writer.put(why)
        case .expired: writer.put(byte: 5)
        case .aborted: writer.put(byte: 6)
        case .staleIncarnation: writer.put(byte: 7)
        case .staleEpoch: writer.put(byte: 8)
        case .staleSequence: writer.put(byte: 9)
        case .sequenceTaken: writer.put(byte: 10)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.takeByte() {
        case 1: self = .applied
        case 2: self = .unchanged
        case 3: self = .conflict
        case 4: self = .rejected(try reader.takeText("reason"))
        case 5: self = .expired
        case 6: self = .aborted
        case 7: self = .staleIncarnation
        case 8: self = .staleEpoch
        case 9: self = .staleSequence
        case 10: self = .sequenceTaken
        default: throw .malformed(field: "verdict")
        }
    }
}

extension ChangeCause: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let cause = ChangeCause(rawValue: try reader.takeByte()) else {
            throw .malformed(field: "what changed it")
        }
        self = cause
    }
}
