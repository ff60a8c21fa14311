// Numbers in the bytes of messages.

extension Span<UInt8> {
    /// Returns the number in the eight bytes at an index, the lowest first.
    @inline(__always)
    func fixed64(at start: Int) -> UInt64 {
        let bytes = extracting(start..<(start &+ 8))
        var value: UInt64 = 0
        for offset in 0..<8 { value |= UInt64(bytes[offset]) &<< UInt64(8 &* offset) }
        return value
    }
}

extension [UInt8] {
    /// Reads a varint: seven bits in each byte, the lowest first; all bytes but the last have the eighth bit.
    ///
    /// - Parameters:
    ///   - start: The index of its first byte.
    ///   - end: The index after the last byte that may belong to it.
    /// - Returns: The value, and the index after it.
    @inline(never)
    func varint(at start: Int, before end: Int) throws(WireError) -> (UInt64, next: Int) {
        // Ten bytes at most.
        let bytes = span.extracting(start..<Swift.min(end, start &+ 10))
        var value: UInt64 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            value |= UInt64(byte & 0x7f) &<< UInt64(7 &* index)
            if byte < 0x80 { return (value, start &+ index &+ 1) }
        }
        throw .notDecodable
    }
}

/// The type of a field's value: the lowest three bits of the field's key.
enum WireType {
    static let varint: UInt64 = 0
    static let fixed64: UInt64 = 1
    static let delimited: UInt64 = 2
    static let groupStart: UInt64 = 3
    static let groupEnd: UInt64 = 4
    static let fixed32: UInt64 = 5
    static let mask: UInt64 = 7
}
