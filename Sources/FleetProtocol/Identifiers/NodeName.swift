/// A node's name, unique on its bus: 1 to 32 characters of `[A-Za-z0-9._-]`, safe as a file's name.
public struct NodeName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The characters.
    public let text: String

    /// The node of that name; nil when the name has other characters or another length.
    public init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isAllowed, !text.hasPrefix("."), (1...Limits.nodeNameBytes).contains(text.utf8.count) else {
            return nil
        }
        self.text = text
    }

    /// The characters.
    public var description: String { text }

    /// Alphabetical order.
    public static func < (left: NodeName, right: NodeName) -> Bool { left.text < right.text }
}
