import FleetProtocol
import FleetTime
import PlantedBugs

/// Identifies callers and decides what they may do: users, sessions, API keys, log-ins, sign-up, password
/// resets and stream tickets.
///
/// It has no access to requests and devices. Of the engine's state it reads and extends only the account
/// table.
struct AccessControl: Sendable {
    /// The enabled self-service flows: sign-up and password reset.
    let waysIn: WaysIn
    /// The bug that a simulation plants.
    let planted: Planting
    /// Whether the disk is full: nothing new can be stored.
    var isStorageFull = false
    var users: [Email: ControllerConfiguration.User]
    var sessions = Sessions()
    var logins = LoginQueue()
    /// The hash that the pending password check uses; the user's hash may change during the check.
    var checkedHash: String?
    var userChanges = UserChanges()
    var signUps = SignUps()
    var recoveries = Recoveries()
    var streamTickets = StreamTickets()
    /// ``Sessions/closings`` at the last sweep of streams.
    var sweptClosings: UInt64 = 0
    var generator: SeededGenerator
    /// When the next delayed log-in may be checked; nil without a delayed log-in.
    var loginDue: MonotonicTime?

    /// Restores users, sessions, keys and log-in failures that were stored.
    init(_ configuration: ControllerConfiguration, in directory: inout Directory, at now: Moment) {
        waysIn = configuration.waysIn
        planted = configuration.planted
        // The seed differs from the engine's, so that both draw different random numbers.
        generator = SeededGenerator(seed: ~configuration.seed)
        users = Dictionary(
            configuration.users.map { ($0.session.email, $0) }, uniquingKeysWith: { first, _ in first })
        // The accounts of users get their slots before a node's hello can take one.
        for user in configuration.users { _ = directory.accountMade(user.session.account) }
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
        for failures in configuration.loginFailures { logins.recall(failures, at: now) }
        if let wholeAt = configuration.signUpsWholeAt { signUps.recall(wholeAt: wholeAt, at: now) }
        for kept in configuration.recoveries where users[kept.email] != nil {
            recoveries.recall(kept, at: now)
        }
    }

    /// Returns the session or key of a token; nil if the token is unknown or expired.
    ///
    /// Stores the time of use only when the entry's `dueAt` has passed.
    ///
    /// - Parameter isUnattended: Whether a program sends the request without a user; that does not count as a
    ///   use.
    @inline(__always)
    mutating func authenticate(
        _ token: TokenDigest, isUnattended: Bool, at now: WallTime, into effects: inout Controller.Effects
    ) -> Sessions.Entry? {
        sessions.ignoresUse = isUnattended
        defer { sessions.ignoresUse = false }
        guard let entry = sessions.use(token, at: now) else { return nil }
        if !isUnattended, now >= entry.dueAt {
            effects.store(.access(sessions.storeUse(token, at: now)))
        }
        return entry
    }

    /// Ends the caller's session, or all sessions of the user.
    mutating func logout(
        _ token: TokenDigest, of email: Email, everywhere: Bool, waiter: Waiter,
        into effects: inout Controller.Effects
    ) {
        let closed = everywhere ? sessions.all(of: email) : [token]
        closed.forEach { sessions.close($0) }
        if !planted(.logoutForgotten) { effects.store(.access(.sessionsClosed(closed))) }
        effects.reply(.signedOut(sessions: UInt32(closed.count)), to: waiter)
    }

    /// Whether an email is that of a user of the account.
    func isMember(_ email: Email, of account: AccountID) -> Bool { users[email]?.session.account == account }

    /// Whether the account has a user.
    func hasUser(_ account: AccountID) -> Bool { users.values.contains { $0.session.account == account } }

    /// The accounts that have users.
    func accounts(in directory: Directory) -> Set<AccountIndex> {
        Set(users.values.compactMap { directory.account($0.session.account) })
    }

    /// Whether sessions ended since the last sweep of streams.
    var hasEndedSessions: Bool { sessions.closings != sweptClosings }
}
