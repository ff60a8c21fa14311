extension UInt64 {
    /// Exactly 16 digits, leading zeros kept.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension Collection<UInt8> {
    /// Two digits a byte.
    package var hexadecimal: String {
        reduce(into: "") { text, byte in
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
    }
}

extension Array<UInt8> {
    /// The bytes of a text of two digits a byte; nil when it is anything else.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8).map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            append(UInt8(high * 16 + low))
        }
    }
}
