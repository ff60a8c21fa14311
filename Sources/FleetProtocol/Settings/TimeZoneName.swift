/// What a time zone is called, such as `Europe/Oslo` (IANA Time Zone Database); which there are, a node
/// knows.
///
/// Its characters lie in it, so that a command that may carry one is copied as the numbers it is made of.
public struct TimeZoneName: Hashable, Sendable, CustomStringConvertible {
    /// The characters, eight at a time, the first the lowest byte; zero behind the last.
    private let words: [4 of UInt64]

    /// The characters.
    public var text: String {
        let bytes = (0..<Limits.timeZoneBytes).map {
            UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(8 * ($0 % 8)))
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

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
        self.init(known: text)
    }

    private init(known text: String) {
        var words: [4 of UInt64] = [0, 0, 0, 0]
        for (place, byte) in text.utf8.enumerated() {
            words[place / 8] |= UInt64(byte) << UInt64(8 * (place % 8))
        }
        self.words = words
    }

    /// Whether both are the same zone by name.
    public static func == (left: TimeZoneName, right: TimeZoneName) -> Bool {
        (0..<4).allSatisfy { left.words[$0] == right.words[$0] }
    }

    /// Feeds all characters.
    public func hash(into hasher: inout Hasher) {
        for place in 0..<4 { hasher.combine(words[place]) }
    }

    /// Where clocks show Coordinated Universal Time.
    public static let utc = TimeZoneName(known: "UTC")

    /// The characters.
    public var description: String { text }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
