import FleetProtocol

/// A user's request about API keys.
enum KeyRequest: Sendable {
    case list
    case add(APIKey.Name, TokenDigest, APIKey.Scope)
    case revoke(APIKey.Name)
}

/// API keys, with which programs act for users. Each user adds and revokes their own keys.
extension AccessControl {
    /// Handles a request about the caller's own keys.
    mutating func handle(
        _ request: KeyRequest, from caller: Sessions.Entry, waiter: Waiter, at now: WallTime,
        into effects: inout Controller.Effects
    ) {
        let user = caller.session.email
        switch request {
        case .list: effects.reply(.keys(sessions.keys(of: user)), to: waiter)
        case .add(let name, let digest, let scope):
            let key = APIKey(name: name, user: user, madeAt: now, scope: scope)
            add(key, digest, of: caller, waiter: waiter, into: &effects)
        case .revoke(let name):
            guard let key = sessions.keys(of: user).first(where: { $0.name == name }),
                let digest = sessions.key(name, of: user)
            else { return effects.refuse(.notFound, to: waiter) }
            if !planted(.revokedKeyAccepted) { sessions.close(digest) }
            effects.store(.access(.keysRevoked([digest])))
            effects.reply(.keyRevoked(key), to: waiter)
        }
    }

    private mutating func add(
        _ key: APIKey, _ digest: TokenDigest, of entry: Sessions.Entry, waiter: Waiter,
        into effects: inout Controller.Effects
    ) {
        let (user, name) = (key.user, key.name)
        guard sessions.keys(of: user).count < Limits.userKeys else {
            let reason = "\(user) already has \(Limits.userKeys) keys, the maximum; revoke one first"
            return effects.refuse(.invalid(reason), to: waiter)
        }
        guard sessions.key(name, of: user) == nil else {
            let reason = "an API key named \"\(name)\" already exists; revoke it or choose another name"
            return effects.refuse(.invalid(reason), to: waiter)
        }
        if isStorageFull {
            return effects.refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter)
        }
        guard sessions.add(digest, as: key, of: entry.session, account: entry.account) else {
            return effects.refuse(.invalid("the API key is already in use; make another one"), to: waiter)
        }
        effects.store(.access(.keyAdded(key, digest)))
        effects.reply(.keyAdded(key), to: waiter)
    }

    /// Revokes all keys of a user; returns their number.
    @discardableResult
    mutating func revokeKeys(of user: Email, into effects: inout Controller.Effects) -> UInt32 {
        let ended = sessions.keys(of: user).compactMap { sessions.key($0.name, of: user) }
        ended.forEach { sessions.close($0) }
        if !ended.isEmpty { effects.store(.access(.keysRevoked(ended))) }
        return UInt32(ended.count)
    }
}
