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
    /// The end is after the last byte that may belong to it. Returns the value, and the index after it.
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

protocol PackedElement {
    /// The value for the bits of a varint, truncated to the bits of the type.
    init(bits: UInt64)

    var bits: UInt64 { get }
}

extension UInt32: PackedElement {
    init(bits: UInt64) { self.init(truncatingIfNeeded: bits) }
    var bits: UInt64 { UInt64(self) }
}

extension UInt64: PackedElement {
    init(bits: UInt64) { self = bits }
    var bits: UInt64 { self }
}

extension Int32: PackedElement {
    init(bits: UInt64) { self.init(zigzag: bits) }
    var bits: UInt64 { zigzagged }
}

extension Int64: PackedElement {
    init(bits: UInt64) { self.init(zigzag: bits) }
    var bits: UInt64 { zigzagged }
}

extension Bool: PackedElement {
    init(bits: UInt64) { self = bits != 0 }
    var bits: UInt64 { self ? 1 : 0 }
}

extension FixedWidthInteger where Self: SignedInteger {
    /// Decodes a zigzag number, truncated to the bits of the type.
    init(zigzag bits: UInt64) {
        let bits = UInt64(Magnitude(truncatingIfNeeded: bits))
        self.init(truncatingIfNeeded: Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
    }

    /// The zigzag encoding, in which small numbers of either sign are short.
    var zigzagged: UInt64 {
        let wide = Int64(self)
        return UInt64(bitPattern: wide << 1 ^ wide >> 63)
    }
}
