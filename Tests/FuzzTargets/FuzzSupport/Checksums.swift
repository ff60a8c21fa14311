import FleetProtocol

/// Binary files with correct checksums: each input is read as it is and with them, because few mutations
/// would pass a checksum.
public enum Corrected {
    /// Returns a file of a header of 16 bytes and frames with correct checksums; a frame begins with the
    /// checksum and the length of its content.
    public static func file(_ input: [UInt8]) -> [UInt8] {
        guard input.count >= 16 else { return input }
        var output = input
        set(Checksum.of(input[..<12]), at: 12, in: &output)
        var place = 16
        while place + 8 <= input.count {
            let length = number(at: place + 4, in: input)
            guard length <= input.count - place - 8 else { break }
            set(Checksum.of(input[place + 8..<place + 8 + length]), at: place, in: &output)
            place += 8 + length
        }
        return output
    }

    /// Returns the number of four bytes.
    public static func number(at place: Int, in bytes: [UInt8]) -> Int {
        bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Overwrites the bytes at a place with a number.
    public static func set(_ number: some FixedWidthInteger, at place: Int, in bytes: inout [UInt8]) {
        for offset in 0..<number.bitWidth / 8 {
            bytes[place + offset] = UInt8(truncatingIfNeeded: number >> (8 * offset))
        }
    }
}
