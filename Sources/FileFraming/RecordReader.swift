/// Takes fields from bytes, in the order in which a ``RecordWriter`` put them.
public struct RecordReader: Sendable {
    @usableFromInline var bytes: ArraySlice<UInt8>
    @usableFromInline var place: Int
    /// The last text that needed memory of its own; the next is mostly the same, and shares it.
    @usableFromInline var lastText = ""

    /// A reader at the first of those bytes.
    @inlinable
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// A reader at the first of those bytes.
    public init(_ bytes: some Collection<UInt8>) { self.init(ArraySlice(bytes)) }

    /// Goes on with other bytes, as a new reader would.
    @inlinable
    public mutating func begin(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
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
        let size = Number.bitWidth / 8
        guard size <= bytesLeft else { throw .truncated }
        defer { place += size }
        var number: Number = 0
        for offset in 0..<size {
            number |= Number(truncatingIfNeeded: bytes[place &+ offset]) &<< (8 &* offset)
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
        let count = Int(try take(UInt16.self))
        guard count <= bytesLeft else { throw .truncated }
        if isNext(lastText, count) {
            place += count
            return lastText
        }
        let bytes = try takeBytes(count)
        let text: String
        do throws(UTF8.ValidationError) {
            text = String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw .malformed(field: field)
        }
        // A shorter one lies in the value itself.
        if count > 15 { lastText = text }
        return text
    }

    /// Whether the next bytes, as many as `count` says, are that text.
    @inlinable
    func isNext(_ text: String, _ count: Int) -> Bool {
        let text = text.utf8Span.span
        guard text.count == count else { return false }
        for offset in 0..<count where bytes[place &+ offset] != text[offset] { return false }
        return true
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
