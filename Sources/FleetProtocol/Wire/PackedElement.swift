/// A number or Boolean in a packed column.
protocol PackedElement {
    /// The value for the bits of a varint, truncated to the bits of the type.
    init(bits: UInt64)

    /// The bits of the value.
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
