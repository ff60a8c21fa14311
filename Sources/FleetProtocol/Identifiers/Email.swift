/// A user's name at log-in, compared in lower case.
public struct Email: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The address.
    public let address: String

    /// The address of that text; nil when it is not one `@` with something on both sides, is longer
    /// than 254 bytes, or holds blanks or control characters.
    public init?(_ text: String) {
        let address = text.lowercased()
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
            address.utf8.count <= Limits.emailBytes,
            address.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7f...0x9f).contains($0.value) })
        else { return nil }
        self.address = address
    }

    /// The address.
    public var description: String { address }

    /// Alphabetical order.
    public static func < (left: Email, right: Email) -> Bool { left.address < right.address }
}
