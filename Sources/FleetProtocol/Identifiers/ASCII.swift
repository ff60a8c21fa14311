/// Kinds of ASCII characters.
extension UInt8 {
    /// Whether the byte is a digit.
    @inlinable package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    /// Whether the byte is a lower-case letter.
    var isLowercaseLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
    /// Whether the byte is a letter.
    var isLetter: Bool { (self | 0x20).isLowercaseLetter }
    /// Whether the byte is a letter or a digit.
    var isLetterOrDigit: Bool { isLetter || isDigit }
    /// Whether the byte is a full stop, a hyphen or an underscore.
    var isNameMark: Bool {
        self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
}
