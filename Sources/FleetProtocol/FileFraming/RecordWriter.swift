// Speed: see performance.md, "fields".
/// Appends fields to bytes: numbers in little-endian order, texts after their length.
public struct RecordWriter: Sendable {
    @usableFromInline var written: [UInt8] = []

    /// An empty writer.
    @inlinable
    public init() {}

    /// The bytes written so far.
    @inlinable
    public var bytes: [UInt8] { written }

    /// Removes the written bytes, and keeps the capacity.
    @inlinable
    public mutating func removeAll() { written.removeAll(keepingCapacity: true) }

    /// Appends a number in as many bytes as its type has.
    @inlinable
    public mutating func put(_ number: some FixedWidthInteger) {
        var rest = number
        for _ in 0..<(number.bitWidth / 8) {
            put(byte: UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Overwrites the bytes at an offset with a number, as many as its type has.
    ///
    /// - Precondition: The bytes exist.
    @inlinable
    public mutating func set(_ number: some FixedWidthInteger, at place: Int) {
        for offset in 0..<(number.bitWidth / 8) {
            written[place + offset] = UInt8(truncatingIfNeeded: number >> (8 * offset))
        }
    }

    /// Appends one byte.
    @inlinable
    public mutating func put(byte: UInt8) { written.append(byte) }

    /// Appends a Boolean as 0 or 1.
    @inlinable
    public mutating func put(_ truth: Bool) { put(byte: truth ? 1 : 0) }

    /// Appends a text of at most 65,535 bytes: its length in two bytes, then its UTF-8 bytes.
    @inlinable
    public mutating func put(_ text: String) {
        let utf8 = text.utf8
        precondition(utf8.count <= UInt16.max, "a text of \(utf8.count) bytes in a record")
        put(UInt16(utf8.count))
        written.append(contentsOf: utf8)
    }

    /// Appends a value's fields.
    @inlinable
    public mutating func put(_ value: some Recordable) { value.write(to: &self) }

    /// Appends whether there is a value, and its fields if there is one.
    @inlinable
    public mutating func put(_ value: (some Recordable)?) {
        put(value != nil)
        if let value { put(value) }
    }

    /// Appends whether there is a number, and the bytes of the number or of 0.
    @inlinable
    public mutating func put<Number: FixedWidthInteger>(padded number: Number?) {
        put(number != nil)
        put(number ?? 0)
    }

    /// Appends bytes after their length in four bytes.
    @inlinable
    public mutating func put(block: some Collection<UInt8>) {
        put(UInt32(block.count))
        written.append(contentsOf: block)
    }
}
