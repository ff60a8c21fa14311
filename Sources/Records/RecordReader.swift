/// Takes fields from bytes, in the order in which a ``RecordWriter`` put them.
public struct RecordReader: Sendable {
    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline var place: Int

    /// A reader at the first of those bytes.
    @inlinable
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// A reader at the first of those bytes.
    public init(_ bytes: some Collection<UInt8>) {
        self.init(ArraySlice(bytes))
    }

    /// How many bytes are left.
    @inlinable
    public var bytesLeft: Int { bytes.endIndex - place }

    /// Reads one value that is all there is.
    ///
    /// - Throws: `trailing` when bytes are left behind it, and whatever the value throws.
    public static func read<Value: Recordable>(
        _ type: Value.Type, from bytes: some Collection<UInt8>
    ) throws(RecordError) -> Value {
        var reader = RecordReader(bytes)
        let value = try Value(from: &reader)
        guard reader.bytesLeft == 0 else { throw .trailing(bytes: reader.bytesLeft) }
        return value
    }

    /// Takes a number of as many bytes as its type has.
    @inlinable
    public mutating func take<Number: FixedWidthInteger>(_ type: Number.Type) throws(RecordError) -> Number {
        var number: Number = 0
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            number |= Number(truncatingIfNeeded: try takeByte()) << shift
        }
        return number
    }

    /// Takes one byte.
    @inlinable
    public mutating func takeByte() throws(RecordError) -> UInt8 {
        guard place < bytes.endIndex else { throw .truncated }
        defer { place += 1 }
        return bytes[place]
    }

    /// Takes a truth; every byte but 0 and 1 is malformed.
    @inlinable
    public mutating func takeBool(_ field: String) throws(RecordError) -> Bool {
        switch try takeByte() {
        case 0: false
        case 1: true
        default: throw .malformed(field: field)
        }
    }

    /// Takes a text; one that is not UTF-8 is malformed.
    @inlinable
    public mutating func takeText(_ field: String) throws(RecordError) -> String {
        let text = try takeBytes(Int(take(UInt16.self)))
        guard let text = String(validating: text, as: UTF8.self) else { throw .malformed(field: field) }
        return text
    }

    /// Takes a value's fields.
    @inlinable
    public mutating func take<Value: Recordable>(_ type: Value.Type) throws(RecordError) -> Value {
        try Value(from: &self)
    }

    /// Takes whether there is a value, and its fields if there is one.
    @inlinable
    public mutating func takeOptional<Value: Recordable>(
        _ type: Value.Type, _ field: String
    ) throws(RecordError) -> Value? {
        try takeBool(field) ? take(type) : nil
    }

    /// Takes bytes that stand behind their length in four bytes.
    @inlinable
    public mutating func takeBlock() throws(RecordError) -> ArraySlice<UInt8> {
        try takeBytes(Int(take(UInt32.self)))
    }

    @inlinable
    mutating func takeBytes(_ count: Int) throws(RecordError) -> ArraySlice<UInt8> {
        guard count <= bytesLeft else { throw .truncated }
        defer { place += count }
        return bytes[place..<place + count]
    }
}
