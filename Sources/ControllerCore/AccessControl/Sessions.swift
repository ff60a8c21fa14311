import FleetProtocol
import FleetTime

/// The open sessions and API keys, with their rights.
struct Sessions: Sendable {
    /// An open session, or an API key, which never expires.
    struct Entry: Sendable {
        var session: Session
        let account: AccountIndex
        let openedAt: WallTime
        var usedAt: WallTime
        /// When the entry must be looked at: its next use must be stored, or it has expired.
        var dueAt: WallTime
        /// The name of the key; nil for a session.
        let key: APIKey.Name?
        /// The scope of the key; nil for a session.
        let scope: APIKey.Scope?
    }

    /// The age at which a session expires, even if it is used.
    static let longestAge: Duration = .seconds(30 * 24 * 3_600)
    /// The interval after which a use is stored again; shorter than the time after which an unused session
    /// expires.
    static let storedEvery: Duration = .seconds(24 * 3_600)
    /// The maximum number of sessions of a user; one more ends the oldest.
    static let perUser = 64

    /// Whether the current request comes from a program without a user, and does not count as a use.
    var ignoresUse = false
    private var entries: [TokenDigest: Entry] = [:]
    private var digests: [Email: [TokenDigest]] = [:]
    private var keys: [Email: [APIKey.Name: TokenDigest]] = [:]
    /// The number of sessions and keys that were closed; expired ones are not counted.
    private(set) var closings: UInt64 = 0

    /// Returns the session or key of a token and records the use; nil if the token is unknown or expired.
    mutating func use(_ digest: TokenDigest, at now: WallTime) -> Entry? {
        guard let place = entries.index(forKey: digest) else { return nil }
        let entry = entries.values[place]
        guard
            now < entry.dueAt
                || entry.usedAt.duration(to: now) < Limits.sessionIdle
                    && entry.openedAt.duration(to: now) < Self.longestAge
        else { return nil }
        if !ignoresUse { entries.values[place].usedAt = now }
        return entry
    }

    /// Returns the change that stores the use of a session.
    ///
    /// A use is stored once a day, so a session that is used every day survives a restart.
    mutating func storeUse(_ digest: TokenDigest, at now: WallTime) -> AccessEntry {
        if let entry = entries[digest] {
            entries[digest]?.dueAt = Self.dueAt(openedAt: entry.openedAt, storedUseAt: now)
        }
        return .sessionUsed(digest, at: now)
    }

    private static func dueAt(openedAt: WallTime, storedUseAt: WallTime) -> WallTime {
        min(storedUseAt.advanced(by: storedEvery), openedAt.advanced(by: longestAge))
    }

    /// Opens a session; returns the sessions that were closed to make room.
    ///
    /// - Parameter usedAt: Its last stored use; nil if it has not been used yet.
    mutating func open(
        _ digest: TokenDigest, for session: Session, account: AccountIndex, openedAt: WallTime,
        usedAt: WallTime? = nil
    ) -> [TokenDigest] {
        var ended: [TokenDigest] = []
        while let oldest = digests[session.email]?.first, digests[session.email]?.count ?? 0 >= Self.perUser {
            ended.append(oldest)
            close(oldest)
        }
        entries[digest] = Entry(
            session: session, account: account, openedAt: openedAt, usedAt: usedAt ?? openedAt,
            dueAt: Self.dueAt(openedAt: openedAt, storedUseAt: usedAt ?? openedAt), key: nil,
            scope: nil)
        digests[session.email, default: []].append(digest)
        return ended
    }

    /// All sessions of a user, oldest first.
    func all(of email: Email) -> [TokenDigest] { digests[email] ?? [] }

    /// Updates the role in all sessions and keys of a user.
    mutating func change(_ session: Session) {
        let own = all(of: session.email) + (keys[session.email] ?? [:]).values
        for digest in own { entries[digest]?.session = session }
    }

    /// Closes a session or a key.
    mutating func close(_ digest: TokenDigest) {
        guard let entry = entries.removeValue(forKey: digest) else { return }
        closings += 1
        if let name = entry.key {
            keys[entry.session.email]?[name] = nil
        } else {
            digests[entry.session.email]?.removeAll { $0 == digest }
        }
    }

    /// Adds an API key; returns false if the digest is already in use.
    mutating func add(
        _ digest: TokenDigest, as key: APIKey, of session: Session, account: AccountIndex
    ) -> Bool {
        guard entries[digest] == nil else { return false }
        entries[digest] = Entry(
            session: session, account: account, openedAt: key.madeAt, usedAt: key.madeAt,
            dueAt: WallTime(unixMilliseconds: .max), key: key.name, scope: key.scope)
        keys[session.email, default: [:]][key.name] = digest
        return true
    }

    /// The keys of a user, by name.
    func keys(of email: Email) -> [APIKey] {
        (keys[email] ?? [:]).sorted { $0.key < $1.key }.compactMap { name, digest in
            guard let entry = entries[digest], let scope = entry.scope else { return nil }
            return APIKey(name: name, user: email, madeAt: entry.openedAt, scope: scope)
        }
    }

    /// The digest of a user's key; nil if the user has no key of that name.
    func key(_ name: APIKey.Name, of email: Email) -> TokenDigest? { keys[email]?[name] }
}

extension Sessions.Entry {
    /// Why an API key does not permit a request; nil for sessions and for requests in the key's scope.
    ///
    /// A service checks its own requests, whose content only it can decode.
    @inline(__always)
    func refusal(of body: ClientRequest.Body) -> Refusal? {
        guard let scope else { return nil }
        if case .service = body { return nil }
        return scope.refusal(of: body.traits)
    }
}

extension APIKey.Scope {
    /// Why a key of this scope does not permit a request; nil if the scope includes it.
    ///
    /// A stolen key must not extend its own life, so no key permits changes of who has access.
    func refusal(of traits: RequestTraits) -> Refusal? {
        guard let needed = traits.keyScope else {
            return .notAllowed("API keys cannot do this; log in with a password")
        }
        guard includes(needed) else {
            return .notAllowed("the API key has scope \(name); this needs scope \(needed.name)")
        }
        return nil
    }
}
