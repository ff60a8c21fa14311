public import FileFraming
public import FleetTime

extension Ordinal {
    public func write(to writer: inout RecordWriter) {
        writer.put(value)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let value = try reader.take(UInt64.self)
        guard value <= Limits.largestOrdinal else { throw .malformed(field: "number") }
        self.init(value)
    }
}

extension Version: Recordable {}
extension CommandSequence: Recordable {}
extension Epoch: Recordable {}

extension Incarnation: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(bits)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(bits: try reader.take(UInt64.self))
    }
}

extension RequestID: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(high)
        writer.put(low)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(high: try reader.take(UInt64.self), low: try reader.take(UInt64.self))
    }
}

extension DeviceID: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(bits)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let device = DeviceID(bits: try reader.take(UInt64.self)) else {
            throw .malformed(field: "device")
        }
        self = device
    }
}

extension AccountID: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(name)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let account = AccountID(try reader.takeText("account")) else {
            throw .malformed(field: "account")
        }
        self = account
    }
}

extension Email: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(address)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let email = Email(try reader.takeText("email")) else { throw .malformed(field: "email") }
        self = email
    }
}

extension WallTime: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(unixMilliseconds)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(unixMilliseconds: try reader.take(Int64.self))
    }
}
