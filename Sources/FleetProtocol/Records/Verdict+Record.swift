public import FileFraming

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
