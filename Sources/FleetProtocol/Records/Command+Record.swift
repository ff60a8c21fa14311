public import FileFraming

extension Expectation: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(incarnation)
        writer.put(version)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            incarnation: try reader.take(Incarnation.self), version: try reader.take(Version.self))
    }
}

extension Command.Kind: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .toggle: writer.put(byte: 1)
        case .set(let change):
            writer.put(byte: 2)
            writer.put(change)
        case .correct(let change):
            writer.put(byte: 3)
            writer.put(change)
        case .configure(let change):
            writer.put(byte: 4)
            writer.put(change)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.takeByte() {
        case 1: self = .toggle
        case 2: self = .set(try reader.take(ACStateChange.self))
        case 3: self = .correct(try reader.take(ACStateChange.self))
        case 4: self = .configure(try reader.take(SettingChange.self))
        default: throw .malformed(field: "kind")
        }
    }
}

extension CommandIdentity: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(device)
        writer.put(incarnation)
        writer.put(sequence)
        writer.put(requestID)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            device: try reader.take(DeviceID.self), incarnation: try reader.take(Incarnation.self),
            sequence: try reader.take(CommandSequence.self), requestID: try reader.take(RequestID.self))
    }
}
