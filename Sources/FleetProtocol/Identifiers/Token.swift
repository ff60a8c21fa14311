/// What a session's client shows with every request: 32 random bytes.
///
/// Its description never shows them.
public struct Token: Sendable, Equatable, CustomStringConvertible {
    /// How many bytes a token has.
    public static let length = 32

    /// The bytes.
    public let bytes: [UInt8]

    /// The token of those bytes; nil when there are not 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// The token of 64 hexadecimal digits; nil for any other text.
    package init?(hexadecimal text: String) {
        guard text.utf8.count == Self.length * 2, let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.init(bytes)
    }

    /// A word in place of the secret.
    public var description: String { "token" }
}

/// A token as the controller keeps it: its SHA-256.
public struct TokenDigest: Hashable, Sendable {
    /// The 32 bytes, eight at a time, the first most significant.
    public let words: [4 of UInt64]

    /// The digest of those 32 bytes; nil when there are not 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        var words: [4 of UInt64] = [0, 0, 0, 0]
        for index in 0..<32 { words[index / 8] = words[index / 8] << 8 | UInt64(bytes[index]) }
        self.words = words
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - 8 * ($0 % 8))) }
    }

    /// Whether all 32 bytes are the same.
    ///
    /// Digests are no secrets: no constant time is needed.
    public static func == (left: TokenDigest, right: TokenDigest) -> Bool {
        (0..<4).allSatisfy { left.words[$0] == right.words[$0] }
    }

    /// Feeds the first eight bytes: SHA-256 has already mixed them.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words[0])
    }
}
