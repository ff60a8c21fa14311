/// The owner of devices: 1 to 32 characters of `[a-z0-9-]`, part of the stream's topic.
public struct AccountID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The characters.
    public let name: String

    /// The account with a name; nil if the name has other characters or another length.
    public init?(_ name: String) {
        let isAllowed = name.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
        guard isAllowed, (1...Limits.accountBytes).contains(name.utf8.count) else { return nil }
        self.name = name
    }

    /// The characters.
    public var description: String { name }

    /// Compares accounts alphabetically.
    public static func < (left: AccountID, right: AccountID) -> Bool { left.name < right.name }
}

/// The ID of one run of a node process: 64 random bits that distinguish a restart from a reconnect.
public struct BootID: Hashable, Sendable, CustomStringConvertible {
    /// The bits.
    public let bits: UInt64

    /// The ID with those bits.
    public init(bits: UInt64) { self.bits = bits }

    /// 16 hexadecimal digits.
    public var description: String { bits.hexadecimal }
}

/// A node's name, unique on its bus: 1 to 32 characters of `[A-Za-z0-9._-]`, safe as a file's name.
public struct NodeName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The characters.
    public let text: String

    /// The node with a name; nil if the name has other characters or another length.
    public init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { $0.isLetterOrDigit || $0.isNameMark }
        guard isAllowed, !text.hasPrefix("."), (1...Limits.nodeNameBytes).contains(text.utf8.count) else {
            return nil
        }
        self.text = text
    }

    /// The characters.
    public var description: String { text }

    /// Compares names alphabetically.
    public static func < (left: NodeName, right: NodeName) -> Bool { left.text < right.text }
}

/// The ID of an order that the controller sends to nodes for an operator: 64 random bits, which match the
/// answers of nodes to the order.
public struct OrderID: Hashable, Sendable, CustomStringConvertible {
    /// The bits.
    public let bits: UInt64

    /// The ID with those bits.
    public init(bits: UInt64) { self.bits = bits }

    /// 16 hexadecimal digits.
    public var description: String { bits.hexadecimal }
}

/// The ID of one incarnation of a device's memory: 64 random bits, never a counter.
///
/// Command numbers and versions are comparable only within one incarnation.
public struct Incarnation: Hashable, Sendable, CustomStringConvertible {
    /// The bits.
    public let bits: UInt64

    /// The incarnation with those bits.
    public init(bits: UInt64) { self.bits = bits }

    /// Parses 16 hexadecimal digits; nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 16, let bits = UInt64(text, radix: 16) else { return nil }
        self.bits = bits
    }

    /// 16 hexadecimal digits.
    public var description: String { bits.hexadecimal }
}

/// The email address with which a user logs in, lower-cased and compared byte by byte, as in the store.
public struct Email: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The address.
    public let address: String

    /// Parses an address; nil unless it has exactly one `@` with text on both sides, at most 254 bytes, and
    /// no whitespace or control characters.
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

    /// Returns whether a text is a lower-case ASCII address, which needs no copy; most are.
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

    /// Returns whether the bytes are equal: Swift treats é as equal in one scalar and in two.
    public static func == (left: Email, right: Email) -> Bool {
        let (left, right) = (left.address.utf8Span.span, right.address.utf8Span.span)
        guard left.count == right.count else { return false }
        for place in left.indices where left[place] != right[place] { return false }
        return true
    }

    /// Hashes the characters, so addresses that Swift treats as equal texts have one hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(address) }

    /// Compares the bytes.
    public static func < (left: Email, right: Email) -> Bool {
        left.address.utf8.lexicographicallyPrecedes(right.address.utf8)
    }
}

extension StringProtocol {
    /// Whether it has decimal digits only, one or more.
    package var isDecimal: Bool { !isEmpty && utf8.allSatisfy(\.isDigit) }
}

extension UInt8 {
    @inlinable package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    var isLowercaseLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
    var isLetter: Bool { (self | 0x20).isLowercaseLetter }
    var isLetterOrDigit: Bool { isLetter || isDigit }
    /// Whether the byte is a full stop, a hyphen or an underscore.
    var isNameMark: Bool {
        self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
}
