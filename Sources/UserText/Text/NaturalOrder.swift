import FleetProtocol

package enum NaturalOrder {
    package static func precedes(_ left: String, _ right: String) -> Bool {
        var left = Substring(left).utf8
        var right = Substring(right).utf8
        while let first = left.first, let second = right.first {
            if first.isDigit, second.isDigit {
                let one = readNumber(&left)
                let other = readNumber(&right)
                if one != other { return one < other }
                continue
            }
            let (one, other) = (lowered(first), lowered(second))
            if one != other { return one < other }
            left.removeFirst()
            right.removeFirst()
        }
        return left.isEmpty && !right.isEmpty
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }

    /// Consumes a number of any length; beyond 64 bits, the lowest digits do not count.
    private static func readNumber(_ text: inout Substring.UTF8View) -> UInt64 {
        var number: UInt64 = 0
        while let byte = text.first, byte.isDigit {
            number = number &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
            text.removeFirst()
        }
        return number
    }
}
