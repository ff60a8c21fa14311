/// A name in natural order: case is ignored, and digits compare as numbers, so that `Mill Lane 2` is before
/// `Mill Lane 10`.
struct NaturalName: Comparable, Sendable {
    /// The name with the count of digits before each number, so that text comparison orders numbers by value.
    private let order: String
    /// The name in lower case, which orders names that write the same number differently, such as 2 and 02.
    private let key: String

    init(_ name: String) {
        key = name.lowercased()
        order = Self.order(of: key)
    }

    static func < (left: NaturalName, right: NaturalName) -> Bool {
        (left.order, left.key) < (right.order, right.key)
    }

    private static func order(of key: String) -> String {
        guard key.utf8.contains(where: isDigit) else { return key }
        var bytes: [UInt8] = []
        var rest = key.utf8[...]
        while let first = rest.first {
            guard isDigit(first) else {
                bytes.append(first)
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix(while: isDigit)
            rest = rest.dropFirst(digits.count)
            let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
            let number = digits.dropFirst(min(zeros, digits.count - 1))
            let count = min(number.count, 99)
            bytes += [UInt8(ascii: "0") + UInt8(count / 10), UInt8(ascii: "0") + UInt8(count % 10)]
            bytes += number
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
