/// What a time zone is called, such as `Europe/Oslo` (IANA Time Zone Database); which there are, a node
/// knows.
public struct TimeZoneName: Hashable, Sendable, CustomStringConvertible {
    /// The characters.
    public let text: String

    /// The zone of that name: 1 to ``Limits/timeZoneBytes`` characters of `[A-Za-z0-9_+/-]`, the first of
    /// them a letter; nil for another.
    public init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                UInt8(ascii: "/"), UInt8(ascii: "-"):
                true
            default: Self.isLetter(byte)
            }
        }
        guard isAllowed, (1...Limits.timeZoneBytes).contains(text.utf8.count),
            text.utf8.first.map(Self.isLetter) ?? false
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// Where clocks show Coordinated Universal Time.
    public static let utc = TimeZoneName(known: "UTC")

    /// The characters.
    public var description: String { text }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
