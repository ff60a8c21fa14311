/// Topics on the two publishing sockets: at most 64 bytes by construction.
public enum Topic {
    /// What nodes publish.
    public static let telemetry = Array("t/".utf8)

    /// What the controller publishes for one account.
    public static func stream(of account: AccountID) -> [UInt8] {
        Array("u/\(account.name)/".utf8)
    }

    /// The beginning or the end of somebody's subscription to one account's topic.
    public struct Subscription: Hashable, Sendable {
        /// Whose updates are meant.
        public let account: AccountID
        /// Whether it begins.
        public let begins: Bool

        /// Reads what an XPUB receives: 1 or 0, then the prefix; nil when it is not one account's topic.
        public init?(_ bytes: [UInt8]) {
            guard let first = bytes.first, first <= 1, bytes.dropFirst().starts(with: Array("u/".utf8)),
                bytes.last == UInt8(ascii: "/"),
                let account = AccountID(String(decoding: bytes.dropFirst(3).dropLast(), as: UTF8.self))
            else { return nil }
            self.account = account
            begins = first == 1
        }
    }
}
