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

    /// Reads a varint: seven bits in each byte, the lowest first; all bytes but the last have the eighth bit.
    ///
    /// - Parameters:
    ///   - start: The index of its first byte.
    ///   - end: The index after the last byte that may belong to it.
    /// - Returns: The value, and the index after it.
    @inline(never)
    func varint(at start: Int, before end: Int) throws(WireError) -> (UInt64, next: Int) {
        // Ten bytes at most.
        let bytes = extracting(start..<Swift.min(end, start &+ 10))
        var value: UInt64 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            value |= UInt64(byte & 0x7f) &<< UInt64(7 &* index)
            if byte < 0x80 { return (value, start &+ index &+ 1) }
        }
        throw .notDecodable
    }
}
