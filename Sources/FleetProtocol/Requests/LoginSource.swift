/// Who is behind a program that logs in for others: a browser's address, say.
///
/// A connection that fails to log in waits longer each time. Through a gateway everybody comes by one
/// connection; with a source each waits for their own failures.
public struct LoginSource: Hashable, Sendable, CustomStringConvertible {
    /// Printable ASCII, 1 to ``Limits/loginSourceBytes`` bytes.
    public let text: String

    /// The source of that name; nil when it is empty, too long, or has bytes that are not printable ASCII.
    public init?(_ text: String) {
        guard (1...Limits.loginSourceBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        self.text = text
    }

    /// The text.
    public var description: String { text }
}
