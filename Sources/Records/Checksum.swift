/// CRC-32C (Castagnoli; RFC 3720, appendix B.4): tells a record that was written whole from a torn one.
public enum Checksum {
    /// The polynomial 0x1EDC6F41 with its bits reversed.
    private static let polynomial: UInt32 = 0x82f6_3b78

    @usableFromInline
    static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { rest, _ in
            rest & 1 == 1 ? rest >> 1 ^ polynomial : rest >> 1
        }
    }

    /// The checksum of those bytes; of none it is zero.
    @inlinable
    public static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        let table = table
        var sum: UInt32 = ~0
        for byte in bytes { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
        return ~sum
    }
}
