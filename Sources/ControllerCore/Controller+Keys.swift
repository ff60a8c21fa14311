import FleetProtocol
import Stepping

/// Keys by which programs act for users: whoever has logged in makes and revokes their own.
extension Controller {
    mutating func manageKeys(
        _ body: ClientRequest.Body, entry: Sessions.Entry, waiter: Waiter, at now: WallTime,
        into effects: inout Effects
    ) {
        // Whoever has found a key can use it, and not make it outlast its end.
        guard entry.key == nil else {
            return refuse(
                .notAllowed("keys are managed by who has logged in, not with a key"), to: waiter,
                into: &effects)
        }
        let user = entry.session.email
        switch body {
        case .keys: reply(.keys(sessions.keys(of: user)), to: waiter, into: &effects)
        case .addKey(let name, let digest):
            addKey(name, digest, of: entry, waiter: waiter, at: now, into: &effects)
        case .revokeKey(let name):
            guard let key = sessions.keys(of: user).first(where: { $0.name == name }),
                let digest = sessions.key(name, of: user)
            else { return refuse(.notFound, to: waiter, into: &effects) }
            sessions.close(digest)
            effects.accessEntries.append(.keysRevoked([digest]))
            reply(.keyRevoked(key), to: waiter, into: &effects)
        case .login, .logout, .command, .cancel, .outcome, .snapshot, .status, .inject, .heal, .scenario,
            .retire, .users, .addUser, .removeUser, .changePassword, .who, .history, .posts, .post, .comments,
            .counters, .addPost, .addComment, .authors, .wayIn, .sites, .sequences, .roster,
            .streamTicket:
            preconditionFailure("\(body) is not about keys")
        }
    }

    private mutating func addKey(
        _ name: APIKey.Name, _ digest: TokenDigest, of entry: Sessions.Entry, waiter: Waiter,
        at now: WallTime, into effects: inout Effects
    ) {
        let user = entry.session.email
        guard sessions.keys(of: user).count < Limits.userKeys else {
            let reason = "\(user) has \(Limits.userKeys) keys, and no more have room"
            return refuse(.invalid(reason), to: waiter, into: &effects)
        }
        guard sessions.key(name, of: user) == nil else {
            return refuse(.invalid("key: \(name) is there already"), to: waiter, into: &effects)
        }
        if isStorageFull {
            return refuse(.busy(retryAfter: Limits.storageRetry), to: waiter, into: &effects)
        }
        guard sessions.add(digest, as: name, of: entry.session, account: entry.account, madeAt: now) else {
            return refuse(.invalid("key: make another one"), to: waiter, into: &effects)
        }
        let key = APIKey(name: name, user: user, madeAt: now)
        effects.accessEntries.append(.keyAdded(key, digest))
        reply(.keyAdded(key), to: waiter, into: &effects)
    }

    /// Ends every key of a user.
    mutating func revokeKeys(of user: Email, into effects: inout Effects) {
        let ended = sessions.keys(of: user).compactMap { sessions.key($0.name, of: user) }
        ended.forEach { sessions.close($0) }
        if !ended.isEmpty { effects.accessEntries.append(.keysRevoked(ended)) }
    }
}
