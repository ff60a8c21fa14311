/// Reads fields from bytes, in the order in which a ``RecordWriter`` wrote them.
public struct RecordReader: Sendable {
    @usableFromInline var bytes: ArraySlice<UInt8>
    @usableFromInline var place: Int
    // Speed: see performance.md, "usual values".
    /// The last text of more than 15 bytes; an equal next text shares its memory.
    @usableFromInline var lastText = ""

    /// A reader that starts at the first byte.
    @inlinable
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// A reader that starts at the first byte.
    public init(_ bytes: some Collection<UInt8>) { self.init(ArraySlice(bytes)) }

    /// Restarts the reader with other bytes.
    @inlinable
    public mutating func begin(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// The number of bytes left.
    @inlinable
    public var bytesLeft: Int { bytes.endIndex - place }

    /// Reads one value from bytes that contain nothing else.
    ///
    /// - Throws: `trailing` if bytes are left after it, and the errors of the value.
    public static func read<Value: Recordable>(
        _ type: Value.Type, from bytes: some Collection<UInt8>
    ) throws(RecordError) -> Value {
        var reader = RecordReader(bytes)
        let value = try Value(from: &reader)
        guard reader.bytesLeft == 0 else { throw .trailing(bytes: reader.bytesLeft) }
        return value
    }

    /// Reads a number of as many bytes as its type has.
    @inlinable
    public mutating func read<Number: FixedWidthInteger>(_ type: Number.Type) throws(RecordError) -> Number {
        let size = Number.bitWidth / 8
        guard size <= bytesLeft else { throw .truncated }
        let start = place &- bytes.startIndex
        place &+= size
        let bytes = bytes.span.extracting(start..<(start &+ size))
        var number: Number = 0
        for offset in 0..<size { number |= Number(truncatingIfNeeded: bytes[offset]) &<< (8 &* offset) }
        return number
    }

    /// Reads one byte.
    @inlinable
    public mutating func readByte() throws(RecordError) -> UInt8 {
        guard place < bytes.endIndex else { throw .truncated }
        defer { place += 1 }
        return bytes[place]
    }

    /// Reads a Boolean; every byte except 0 and 1 is malformed.
    @inlinable
    public mutating func readBool(_ field: String) throws(RecordError) -> Bool {
        switch try readByte() {
        case 0: false
        case 1: true
        default: throw .malformed(field: field)
        }
    }

    /// Takes an `Int` of eight bytes; a negative one is malformed.
    @inlinable
    public mutating func readInt(_ field: String) throws(RecordError) -> Int {
        guard let number = Int(exactly: try read(UInt64.self)) else { throw .malformed(field: field) }
        return number
    }

    /// Takes whether there is a number, and its bytes, which are there in any case.
    @inlinable
    public mutating func readPadded<Number: FixedWidthInteger>(
        _ type: Number.Type, _ field: String
    ) throws(RecordError) -> Number? {
        let isPresent = try readBool(field)
        let number = try read(type)
        return isPresent ? number : nil
    }

    /// Reads a text; one that is not UTF-8 is malformed.
    @inlinable
    public mutating func readText(_ field: String) throws(RecordError) -> String {
        let count = Int(try read(UInt16.self))
        guard count <= bytesLeft else { throw .truncated }
        if isNext(lastText, count) {
            place += count
            return lastText
        }
        let bytes = try readBytes(count)
        let text: String
        do throws(UTF8.ValidationError) {
            text = String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw .malformed(field: field)
        }
        if count > 15 { lastText = text }
        return text
    }

    /// Returns whether the next bytes, `count` of them, are the given text.
    @inlinable
    func isNext(_ text: String, _ count: Int) -> Bool {
        let text = text.utf8Span.span
        guard text.count == count else { return false }
        let start = place &- bytes.startIndex
        let bytes = bytes.span.extracting(start..<(start &+ count))
        for offset in text.indices where bytes[offset] != text[offset] { return false }
        return true
    }

    /// Reads a value's fields.
    @inlinable
    public mutating func read<Value: Recordable>(_ type: Value.Type) throws(RecordError) -> Value {
        try Value(from: &self)
    }

    /// Reads whether there is a value, and its fields if there is one.
    @inlinable
    public mutating func readOptional<Value: Recordable>(
        _ type: Value.Type, _ field: String
    ) throws(RecordError) -> Value? {
        try readBool(field) ? read(type) : nil
    }

    /// Reads bytes that follow their length in four bytes.
    @inlinable
    public mutating func readBlock() throws(RecordError) -> ArraySlice<UInt8> {
        try readBytes(Int(read(UInt32.self)))
    }

    @inlinable
    mutating func readBytes(_ count: Int) throws(RecordError) -> ArraySlice<UInt8> {
        guard count <= bytesLeft else { throw .truncated }
        defer { place += count }
        return bytes[place..<place + count]
    }
}
