public import FleetProtocol

/// The keys by which programs act for the user who has logged in.
///
/// The changes leave once: when one ends with `noAnswer`, `keys` tells whether it was made.
extension FleetClient {
    /// Makes a key of that name and scope; the controller learns only its SHA-256.
    ///
    /// - Throws: Also `refused` with `invalid` when there is one of that name, or no room for another.
    @discardableResult
    public func addKey(
        _ name: APIKey.Name, digest: TokenDigest, scope: APIKey.Scope = .switch,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> APIKey {
        let reply = try await ask(.addKey(name, digest, scope), patience: patience)
        guard case .keyAdded(let key) = reply, key.name == name, key.scope == scope else {
            throw .unexpectedReply
        }
        return key
    }

    /// Every key of the user, by name.
    public func keys(patience: Duration = Limits.defaultPatience) async throws(FleetError) -> [APIKey] {
        guard case .keys(let keys) = try await ask(.keys, patience: patience) else {
            throw .unexpectedReply
        }
        return keys
    }

    /// Ends a key: whoever shows it is turned away from now on.
    ///
    /// - Throws: Also `refused` with `notFound` when the user has none of that name.
    @discardableResult
    public func revokeKey(
        _ name: APIKey.Name, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> APIKey {
        let reply = try await ask(.revokeKey(name), patience: patience)
        guard case .keyRevoked(let key) = reply, key.name == name else { throw .unexpectedReply }
        return key
    }
}
