import FleetProtocol

/// Identifies callers and decides what they may do: users, sessions, API keys, log-ins, sign-up, password
/// resets and stream tickets. It has no access to requests and devices. Of the engine's state it reads and
/// extends only the account table.
struct AccessControl: Sendable {
    /// The enabled self-service flows: sign-up and password reset.
    let selfService: SelfService
    let planted: Planting
    /// Whether the disk is full: nothing new can be stored.
    var isStorageFull = false
    var storageRefusal: Refusal? { isStorageFull ? .storageFull(retryAfter: Limits.storageRetry) : nil }
    var users: [Email: ControllerConfiguration.User]
    /// Whether requests and command queues may wait whose users were removed or became viewers.
    var mayHaveFormerUsers = true
    var sessions = Sessions()
    var logins = LoginQueue()
    /// The hash that the pending password check uses; the user's hash may change during the check.
    var checkedHash: String?
    var userChanges = UserChanges()
    var signUps = SignUps()
    var passwordResets = PasswordResets()
    var streamTickets = StreamTickets()
    /// Where users and accounts are that may be in other cells; nil without cells: all are here.
    var placement: Placement?
    /// ``Sessions/closings`` at the last sweep of streams.
    var sweptClosings: UInt64 = 0
    var generator: SeededGenerator
    /// When the next delayed log-in may be checked; nil without a delayed log-in.
    var loginDue: MonotonicTime?

    /// Restores users, sessions, keys and log-in failures that were stored.
    init(_ configuration: ControllerConfiguration, in directory: inout Directory, at now: Moment) {
        selfService = configuration.selfService
        planted = configuration.planted
        // The seed differs from the engine's, so that both draw different random numbers.
        generator = SeededGenerator(seed: ~configuration.seed)
        users = Dictionary(
            configuration.users.map { ($0.session.email, $0) }, uniquingKeysWith: { first, _ in first })
        placement = Placement(configuration, at: now.monotonic)
        for user in configuration.users {
            placement?.add(user.session.email, of: user.session.account)
            // The accounts of users get their slots before a node's hello can take one.
            _ = directory.accountMade(user.session.account)
        }
        for open in configuration.sessions {
            guard let user = users[open.email], let account = directory.accountMade(user.session.account)
            else { continue }
            _ = sessions.open(
                open.digest, for: user.session, account: account, openedAt: open.openedAt,
                usedAt: open.usedAt)
        }
        for known in configuration.keys {
            let key = known.key
            guard let user = users[key.user], let account = directory.accountMade(user.session.account) else {
                continue
            }
            _ = sessions.add(known.digest, as: key, of: user.session, account: account)
        }
        for failures in configuration.loginFailures { logins.restore(failures, at: now) }
        if let wholeAt = configuration.signUpsWholeAt { signUps.restore(wholeAt: wholeAt, at: now) }
        for stored in configuration.passwordResets where users[stored.email] != nil {
            passwordResets.restore(stored, at: now)
        }
        if let moving = placement?.frozen { setFrozen(true, moving) }
    }

    /// Returns the place of the session or key of a token; nil if the token is unknown or expired. Stores the
    /// time of use only when the entry's `dueAt` has passed. An unattended request, sent by a program without
    /// a user, does not count as a use.
    @inline(__always)
    mutating func authenticate(
        _ token: TokenDigest, isUnattended: Bool, at now: WallTime, into effects: inout Controller.Effects
    ) -> Int? {
        sessions.ignoresUse = isUnattended
        defer { sessions.ignoresUse = false }
        guard let place = sessions.use(token, at: now) else { return nil }
        if !isUnattended, now >= sessions[place].dueAt {
            effects.store(.access(sessions.storeUse(token, at: now)))
        }
        return place
    }

    mutating func logout(
        _ token: TokenDigest, of email: Email, everywhere: Bool, waiter: Waiter,
        into effects: inout Controller.Effects
    ) {
        let closed = everywhere ? sessions.all(of: email) : [token]
        closed.forEach { sessions.close($0) }
        if !planted(.logoutLost) { effects.store(.access(.sessionsClosed(closed))) }
        effects.reply(.signedOut(sessions: UInt32(closed.count)), to: waiter)
    }

    /// The session as its user sees it, with the cell and the API key.
    func shown(_ session: Session, with key: APIKey? = nil) -> Session {
        var session = session
        (session.cell, session.key) = (placement?.own, key)
        return session
    }

    func isMember(_ email: Email, of account: AccountID) -> Bool { users[email]?.session.account == account }

    func maySwitch(_ email: Email, in account: AccountID) -> Bool {
        guard let session = users[email]?.session else { return false }
        return session.account == account && session.viewerRefusal == nil
    }

    func hasUser(_ account: AccountID) -> Bool { users.values.contains { $0.session.account == account } }

    func accounts(in directory: Directory) -> Set<AccountIndex> {
        Set(users.values.compactMap { directory.account($0.session.account) })
    }

    /// Whether sessions ended since the last sweep of streams.
    var hasEndedSessions: Bool { sessions.closings != sweptClosings }

    /// When a turn is needed next.
    @inline(__always)
    var nextDue: MonotonicTime { min(loginDue ?? .never, placement?.nextDue ?? .never) }

    mutating func turn(at now: Moment, into effects: inout Controller.Effects) {
        if let due = loginDue, due <= now.monotonic {
            loginDue = nil
            startLogins(at: now, into: &effects)
        }
        guard placement != nil else { return }
        placement?.turn(at: now.monotonic, into: &effects)
        settleAdditions(at: now, into: &effects)
    }
}

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
        let key: APIKey.Name?
        let scope: APIKey.Scope?
        /// Whether every request is refused for now.
        var isFrozen = false

        var apiKey: APIKey? {
            guard let key, let scope else { return nil }
            return APIKey(name: key, user: session.email, madeAt: openedAt, scope: scope)
        }
    }

    /// The age at which a session expires, even if it is used.
    static let longestAge: Duration = .seconds(30 * 24 * 3_600)
    /// The interval after which a use is stored again; shorter than the time after which an unused session
    /// expires.
    static let storedEvery: Duration = .seconds(24 * 3_600)
    /// The maximum number of sessions of a user; one more ends the oldest.
    static let perUser = 64
    /// The time after which a request to a frozen account may be repeated.
    static let frozenRetry: Duration = .milliseconds(100)

    /// Whether the current request comes from a program without a user, and does not count as a use.
    var ignoresUse = false
    private var entries = WordTable<TokenDigest, Entry>()
    private var digests: [Email: [TokenDigest]] = [:]
    private var keys: [Email: [APIKey.Name: TokenDigest]] = [:]
    /// The number of sessions and keys that were closed; expired ones are not counted.
    private(set) var closings: UInt64 = 0

    // Speed: see performance.md, "references".
    /// The session or key at a place.
    @inline(__always)
    subscript(place: Int) -> Entry {
        _read { yield entries[place: place] }
    }

    /// Returns the place of the session or key of a token and records the use; nil if the token is unknown or
    /// expired.
    @inline(__always)
    mutating func use(_ digest: TokenDigest, at now: WallTime) -> Int? {
        guard let place = entries.place(of: digest) else { return nil }
        guard
            now < entries[place: place].dueAt
                || entries[place: place].usedAt.duration(to: now) < Limits.sessionIdle
                    && entries[place: place].openedAt.duration(to: now) < Self.longestAge
        else { return nil }
        if !ignoresUse { entries[place: place].usedAt = now }
        return place
    }

    /// Returns the change that stores the use of a session. A use is stored once a day, so a session that is
    /// used every day survives a restart.
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

    func account(of digest: TokenDigest) -> AccountID? { entries[digest]?.session.account }

    /// All sessions of a user, oldest first.
    func all(of email: Email) -> [TokenDigest] { digests[email] ?? [] }

    mutating func change(_ session: Session) {
        let own = all(of: session.email) + (keys[session.email] ?? [:]).values
        for digest in own { entries[digest]?.session = session }
    }

    mutating func close(_ digest: TokenDigest) {
        guard let entry = entries[digest] else { return }
        entries[digest] = nil
        closings += 1
        if let name = entry.key {
            keys[entry.session.email]?[name] = nil
        } else {
            digests[entry.session.email]?.removeAll { $0 == digest }
        }
    }

    /// Has every request of a session or key refused, or no longer.
    mutating func setFrozen(_ isFrozen: Bool, _ digest: TokenDigest) { entries[digest]?.isFrozen = isFrozen }

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

    func keys(of email: Email) -> [APIKey] {
        (keys[email] ?? [:]).sorted { $0.key < $1.key }.compactMap { entries[$0.value]?.apiKey }
    }

    func key(_ name: APIKey.Name, of email: Email) -> TokenDigest? { keys[email]?[name] }
}

extension Sessions.Entry {
    /// Why a request is refused: the account is frozen, or the API key does not permit it.
    ///
    /// A service checks its own requests, whose content only it can decode.
    @inline(__always)
    func refusal(of body: ClientRequest.Body) -> Refusal? {
        if isFrozen { return .busy(retryAfter: Sessions.frozenRetry) }
        guard let scope else { return nil }
        if case .service = body { return nil }
        return scope.refusal(of: body.traits)
    }
}
