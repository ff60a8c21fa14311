/// Appends fields to bytes: numbers with the lowest byte first, texts behind their length.
public struct RecordWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// A writer that has written nothing.
    public init() {}

    /// Forgets what was written, and keeps its room.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends a number in as many bytes as its type has.
    @inlinable
    public mutating func put(_ number: some FixedWidthInteger) {
        var rest = number
        for _ in 0..<(number.bitWidth / 8) {
            put(byte: UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Appends one byte.
    public mutating func put(byte: UInt8) {
        bytes.append(byte)
    }

    /// Appends a truth as 0 or 1.
    public mutating func put(_ truth: Bool) {
        put(byte: truth ? 1 : 0)
    }

    /// Appends a text of at most 65,535 bytes: its length in two bytes, then itself as UTF-8.
    public mutating func put(_ text: String) {
        let utf8 = text.utf8
        precondition(utf8.count <= UInt16.max, "a text of \(utf8.count) bytes in a record")
        put(UInt16(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    /// Appends a value's fields.
    public mutating func put(_ value: some Recordable) {
        value.write(to: &self)
    }

    /// Appends whether there is a value, and its fields if there is one.
    public mutating func put(_ value: (some Recordable)?) {
        put(value != nil)
        if let value { put(value) }
    }

    /// Appends bytes behind their length in four bytes.
    public mutating func put(block: some Collection<UInt8>) {
        put(UInt32(block.count))
        bytes.append(contentsOf: block)
    }
}
