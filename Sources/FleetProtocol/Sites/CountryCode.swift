/// A country by its two letters (ISO 3166-1 alpha-2), such as `NO`; whether there is one, is not looked up.
public struct CountryCode: Hashable, Sendable, CustomStringConvertible {
    /// Two of `[A-Z]`.
    public let letters: String

    /// The country of those letters, small ones too; nil where they are not two of the alphabet's.
    public init?(_ text: String) {
        let letters = text.uppercased()
        guard letters.utf8.count == 2,
            letters.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { return nil }
        self.letters = letters
    }

    /// The two letters.
    public var description: String { letters }
}
