import FleetProtocol

/// What the worker found out about a password.
struct PasswordVerdict: Sendable {
    let didMatch: Bool
    /// Fresh, with what it hashes to.
    let token: Token
    let digest: TokenDigest
    /// The password's hash, where there was none to compare it with.
    let hash: String?
}
