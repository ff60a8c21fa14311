import FleetProtocol
import Stepping

/// Keys by which programs act for users: whoever has logged in makes and revokes their own.
extension Controller {
    mutating func manageKeys(
        _ body: ClientRequest.Body, entry: Sessions.Entry, waiter: Waiter, at now: WallTime,
        into effects: inout Effects
    ) {
        let user = entry.session.email
        switch body {
        case .keys: reply(.keys(sessions.keys(of: user)), to: waiter, into: &effects)
        case .addKey(let name, let digest, let scope):
            let key = APIKey(name: name, user: user, madeAt: now, scope: scope)
            add(key, digest, of: entry, waiter: waiter, into: &effects)
        case .revokeKey(let name):
            guard let key = sessions.keys(of: user).first(where: { $0.name == name }),
                let digest = sessions.key(name, of: user)
            else { return refuse(.notFound, to: waiter, into: &effects) }
            sessions.close(digest)
            effects.store(.access(.keysRevoked([digest])))
            reply(.keyRevoked(key), to: waiter, into: &effects)
        case .login, .logout, .command, .cancel, .outcome, .snapshot, .status, .inject, .heal, .scenario,
            .retire, .faults, .users, .addUser, .removeUser, .changePassword, .changeRole, .who, .history,
            .posts, .post, .comments,
            .counters, .addPost, .addComment, .editPost, .removePost, .authors, .wayIn, .sites, .sequences,
            .roster,
            .streamTicket:
            preconditionFailure("\(body) is not about keys")
        }
    }

    private mutating func add(
        _ key: APIKey, _ digest: TokenDigest, of entry: Sessions.Entry, waiter: Waiter,
        into effects: inout Effects
    ) {
        let (user, name) = (key.user, key.name)
        guard sessions.keys(of: user).count < Limits.userKeys else {
            let reason = "\(user) has \(Limits.userKeys) keys, and no more have room"
            return refuse(.invalid(reason), to: waiter, into: &effects)
        }
        guard sessions.key(name, of: user) == nil else {
            return refuse(.invalid("key: \(name) is there already"), to: waiter, into: &effects)
        }
        if isStorageFull {
            return refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter, into: &effects)
        }
        guard sessions.add(digest, as: key, of: entry.session, account: entry.account) else {
            return refuse(.invalid("key: make another one"), to: waiter, into: &effects)
        }
        effects.store(.access(.keyAdded(key, digest)))
        reply(.keyAdded(key), to: waiter, into: &effects)
    }

    /// Ends every key of a user; returns how many.
    @discardableResult
    mutating func revokeKeys(of user: Email, into effects: inout Effects) -> UInt32 {
        let ended = sessions.keys(of: user).compactMap { sessions.key($0.name, of: user) }
        ended.forEach { sessions.close($0) }
        if !ended.isEmpty { effects.store(.access(.keysRevoked(ended))) }
        return UInt32(ended.count)
    }
}
