/// Who is behind a program that logs in for others: a browser's address, say.
///
/// A connection that fails to log in waits longer each time. Through a gateway everybody comes by one
/// connection; with a source each waits for their own failures.
public struct LoginSource: Hashable, Sendable, CustomStringConvertible {
    /// Printable ASCII, 1 to ``Limits/loginSourceBytes`` bytes.
    ///
    /// A source of a network that can have many begins with that network's name and a space.
    public let text: String

    /// The source of that name; nil when it is empty, too long, or has bytes that are not printable ASCII.
    public init?(_ text: String) {
        guard (1...Limits.loginSourceBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        self.text = text
    }

    /// The network that the source is of: the text before the first space; nil without one.
    public var network: LoginSource? {
        text.firstIndex(of: " ").flatMap { LoginSource(String(text[..<$0])) }
    }

    /// The text.
    public var description: String { text }
}
