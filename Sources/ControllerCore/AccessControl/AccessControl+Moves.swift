import FleetProtocol

extension AccessControl {
    /// Refuses all requests of an account until ``frozen`` is nil again.
    mutating func freeze(_ account: AccountID, in directory: Directory) {
        frozen = directory.account(account)
    }

    private var frozenAccount: AccountID? { frozen == nil ? nil : cells?.moves.outgoing?.move.account }

    /// Why a request of a user, or for a user, is refused while the account is frozen.
    func refusal(ofFrozen email: Email) -> Refusal? {
        guard let frozenAccount, users[email]?.session.account == frozenAccount else { return nil }
        return .busy(retryAfter: AccountMoves.retry)
    }

    /// Why a request with a token is refused that no session or key has: its account may have moved.
    func refusal(ofUnknown token: TokenDigest?) -> Refusal {
        guard let token, let cell = cells?.moves.stored.tokens[token] else { return .unauthenticated }
        return .moved(cell)
    }

    /// The digests of all sessions and keys of an account's users.
    func tokens(of account: AccountID) -> [TokenDigest] {
        users.keys.filter { isMember($0, of: account) }.sorted().flatMap { email in
            sessions.all(of: email) + sessions.keys(of: email).compactMap { sessions.key($0.name, of: email) }
        }
    }
}
