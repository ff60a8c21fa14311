/// Topics on the two publishing sockets: at most 64 bytes by construction.
public enum Topic {
    /// What nodes publish.
    public static let telemetry = Array("t/".utf8)

    /// What the controller publishes for one account.
    public static func stream(of account: AccountID) -> [UInt8] {
        Array("u/\(account.name)/".utf8)
    }
}
