import FleetProtocol

/// Users who may be in other cells, and accounts that are about to move there.
extension AccessControl {
    /// Where a user is, or belongs who is in no cell.
    func place(of email: Email) -> Placement.Place {
        placement?.place(of: email, in: users[email]?.session.account) ?? .here
    }

    /// Why a request of a user is refused before the password is checked.
    func refusal(ofUnchecked email: Email) -> Refusal? {
        let place = place(of: email)
        // Where a stranger is not known, the reply waits as long as that to a user who is here.
        if case .unknown = place, users[email] == nil { return nil }
        return place.refusal
    }

    /// Why a request with a token is refused that no session or key has: its account may have moved.
    func refusal(ofUnknown token: TokenDigest?) -> Refusal {
        token.flatMap { placement?.place(of: $0).refusal } ?? .unauthenticated
    }

    /// Has all requests of an account's users refused, or no longer.
    mutating func setFrozen(_ isFrozen: Bool, _ account: AccountID) {
        placement?.frozen = isFrozen ? account : nil
        for token in tokens(of: account) { sessions.setFrozen(isFrozen, token) }
    }

    /// The digests of all sessions and keys of an account's users.
    func tokens(of account: AccountID) -> [TokenDigest] {
        users.keys.filter { isMember($0, of: account) }.sorted().flatMap { email in
            sessions.all(of: email) + sessions.keys(of: email).compactMap { sessions.key($0.name, of: email) }
        }
    }
}
