import FleetProtocol
import FleetTime

/// Who is logged in, and with what rights.
struct Sessions: Sendable {
    /// One open session, or a key: that does not end by itself.
    struct Entry: Sendable {
        var session: Session
        let account: AccountIndex
        let openedAt: WallTime
        var usedAt: WallTime
        /// From then on a use is to be stored, or it has ended; before that no use is looked at.
        var dueAt: WallTime
        /// What the user calls the key; nil for a session.
        let key: APIKey.Name?
        /// What the key may do; nil for a session.
        let scope: APIKey.Scope?
    }

    /// A session of this age ends, whatever its use.
    static let longestAge: Duration = .seconds(30 * 24 * 3_600)
    /// How much later than the last use that is stored a use is to be stored: sooner than a session ends
    /// without use.
    static let storedEvery: Duration = .seconds(24 * 3_600)
    /// Sessions that one user may have; the oldest ends when there would be more.
    static let perUser = 64

    /// Whether a program asks for itself at the moment: that is no use of its user's session.
    var ignoresUse = false
    private var entries: [TokenDigest: Entry] = [:]
    private var digests: [Email: [TokenDigest]] = [:]
    private var keys: [Email: [APIKey.Name: TokenDigest]] = [:]
    /// How many sessions and keys have ended otherwise than by their age.
    private(set) var closings: UInt64 = 0

    /// The session of a token that is valid now; the use is noted.
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

    /// The entry that stores the use of a session when it was due.
    ///
    /// Only the day counts: a session that is used every day does not end with a restart.
    mutating func storeUse(_ digest: TokenDigest, at now: WallTime) -> AccessEntry {
        if let entry = entries[digest] {
            entries[digest]?.dueAt = Self.dueAt(openedAt: entry.openedAt, storedUseAt: now)
        }
        return .sessionUsed(digest, at: now)
    }

    private static func dueAt(openedAt: WallTime, storedUseAt: WallTime) -> WallTime {
        min(storedUseAt.advanced(by: storedEvery), openedAt.advanced(by: longestAge))
    }

    /// Opens a session; returns what had to end for it.
    ///
    /// - Parameter usedAt: Its last use that is stored; nil: it was not used yet.
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

    /// Every session of a user, oldest first.
    func all(of email: Email) -> [TokenDigest] { digests[email] ?? [] }

    /// Updates the role in all sessions and keys of a user.
    mutating func change(_ session: Session) {
        let own = all(of: session.email) + (keys[session.email] ?? [:]).values
        for digest in own { entries[digest]?.session = session }
    }

    /// Ends one session, or a key.
    mutating func close(_ digest: TokenDigest) {
        guard let entry = entries.removeValue(forKey: digest) else { return }
        closings += 1
        if let name = entry.key {
            keys[entry.session.email]?[name] = nil
        } else {
            digests[entry.session.email]?.removeAll { $0 == digest }
        }
    }

    /// Lets in whoever shows a key; false where something else hashes to the same.
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

    /// What a key of a user hashes to; nil when they have none of that name.
    func key(_ name: APIKey.Name, of email: Email) -> TokenDigest? { keys[email]?[name] }
}

extension Sessions.Entry {
    /// Why an API key does not permit a request; nil for sessions, and for requests that its scope includes.
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
            return .notAllowed("no key may do this: log in with a password")
        }
        guard includes(needed) else {
            return .notAllowed("the key's scope is \(name): this needs one of scope \(needed.name)")
        }
        return nil
    }
}
