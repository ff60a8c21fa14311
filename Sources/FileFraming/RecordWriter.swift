/// Appends fields to bytes: numbers with the lowest byte first, texts behind their length.
///
/// All of it can be inlined: a record is some sixty bytes, and a call for each would cost more than the rest.
public struct RecordWriter: Sendable {
    @usableFromInline var written: [UInt8] = []

    /// A writer that has written nothing.
    @inlinable
    public init() {}

    /// What was written so far.
    @inlinable
    public var bytes: [UInt8] { written }

    /// Forgets what was written, and keeps its room.
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

    /// Writes a number over the bytes at a place, as many as its type has.
    ///
    /// - Precondition: They are there.
    @inlinable
    public mutating func set(_ number: some FixedWidthInteger, at place: Int) {
        for offset in 0..<(number.bitWidth / 8) {
            written[place + offset] = UInt8(truncatingIfNeeded: number >> (8 * offset))
        }
    }

    /// Appends one byte.
    @inlinable
    public mutating func put(byte: UInt8) { written.append(byte) }

    /// Appends a truth as 0 or 1.
    @inlinable
    public mutating func put(_ truth: Bool) { put(byte: truth ? 1 : 0) }

    /// Appends a text of at most 65,535 bytes: its length in two bytes, then itself as UTF-8.
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

    /// Appends bytes behind their length in four bytes.
    @inlinable
    public mutating func put(block: some Collection<UInt8>) {
        put(UInt32(block.count))
        written.append(contentsOf: block)
    }
}
