/// Topics on the two publishing sockets: at most 64 bytes by construction.
public enum Topic {
    /// What nodes publish.
    public static let telemetry = Array("t/".utf8)

    /// What the controller publishes for one account.
    public static func stream(of account: AccountID) -> [UInt8] {
        Array("u/\(account.name)/".utf8)
    }

    /// Whether a message of a subscriber begins or ends a subscription to one account's topic.
    ///
    /// - Parameter bytes: As an XPUB receives them: 1 or 0, then the prefix.
    public static func isSubscription(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first <= 1, bytes.dropFirst().starts(with: Array("u/".utf8)),
            bytes.last == UInt8(ascii: "/")
        else { return false }
        return AccountID(String(decoding: bytes.dropFirst(3).dropLast(), as: UTF8.self)) != nil
    }
}
