/// A user's name at log-in, compared in lower case, and byte by byte, as the store does.
public struct Email: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The address.
    public let address: String

    /// The address of that text; nil when it is not one `@` with something on both sides, is longer
    /// than 254 bytes, or holds blanks or control characters.
    public init?(_ text: String) {
        if Self.isPlain(text) {
            address = text
            return
        }
        let address = text.lowercased()
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
            address.utf8.count <= Limits.emailBytes,
            address.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7f...0x9f).contains($0.value) })
        else { return nil }
        self.address = address
    }

    /// Whether a text is an address as it stands, in ASCII; most are, and need no copy in lower case.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        var (ats, place) = (0, 0)
        for index in 0..<bytes.count {
            let byte = bytes[index]
            guard byte > 0x20, byte < 0x7f, byte &- UInt8(ascii: "A") > 25 else { return false }
            if byte == UInt8(ascii: "@") { (ats, place) = (ats &+ 1, index) }
        }
        return ats == 1 && place > 0 && place < bytes.count - 1 && bytes.count <= Limits.emailBytes
    }

    /// The address.
    public var description: String { address }

    /// Whether they are the same bytes: to Swift an é is the same in one scalar and in two.
    public static func == (left: Email, right: Email) -> Bool {
        left.address.utf8.elementsEqual(right.address.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in address.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8.max)
    }

    /// The order of the bytes.
    public static func < (left: Email, right: Email) -> Bool {
        left.address.utf8.lexicographicallyPrecedes(right.address.utf8)
    }
}
