public import FileFraming

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
