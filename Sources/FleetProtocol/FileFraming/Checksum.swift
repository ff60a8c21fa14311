/// CRC-32C (Castagnoli; RFC 3720, appendix B.4), which distinguishes complete records from torn ones.
public enum Checksum {
    /// The polynomial 0x1EDC6F41 with its bits reversed.
    private static let polynomial: UInt32 = 0x82f6_3b78
    /// The number of bytes processed at once, each with its own table so that the lookups are independent.
    private static let stride = 8

    /// The tables, one after another: table `n` has the effect of a byte that `n` more bytes follow.
    private static let tables: [2_048 of UInt32] = {
        var tables = [2_048 of UInt32](repeating: 0)
        for index in 0..<256 {
            tables[index] = (0..<8).reduce(UInt32(index)) { rest, _ in
                rest & 1 == 1 ? rest >> 1 ^ polynomial : rest >> 1
            }
        }
        for index in 256..<256 * stride {
            let shorter = tables[index - 256]
            tables[index] = shorter >> 8 ^ tables[Int(shorter & 0xff)]
        }
        return tables
    }()

    /// Returns the checksum of bytes; zero for an empty array.
    public static func of(_ bytes: [UInt8]) -> UInt32 { of(bytes[...]) }

    /// Returns the checksum of bytes; zero for an empty slice.
    public static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let bytes = bytes.span
        var sum: UInt32 = ~0
        var place = 0
        while bytes.count &- place >= stride {
            var next: UInt32 = 0
            for offset in 0..<stride {
                let mixed = offset < 4 ? UInt8(truncatingIfNeeded: sum &>> (8 &* UInt32(offset))) : 0
                let table = 256 &* (stride &- 1 &- offset)
                next ^= tables[table &+ Int(bytes[place &+ offset] ^ mixed)]
            }
            sum = next
            place &+= stride
        }
        while place < bytes.count {
            sum = tables[Int(UInt8(truncatingIfNeeded: sum) ^ bytes[place])] ^ sum &>> 8
            place &+= 1
        }
        return ~sum
    }
}
