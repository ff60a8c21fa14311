/// Who owns devices: 1 to 32 characters of `[a-z0-9-]`, part of the stream's topic.
public struct AccountID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The characters.
    public let name: String

    /// The account of that name; nil when the name has other characters or another length.
    public init?(_ name: String) {
        let isAllowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isAllowed, (1...Limits.accountBytes).contains(name.utf8.count) else { return nil }
        self.name = name
    }

    /// The characters.
    public var description: String { name }

    /// Alphabetical order.
    public static func < (left: AccountID, right: AccountID) -> Bool { left.name < right.name }
}
