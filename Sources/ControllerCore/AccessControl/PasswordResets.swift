import DequeModule
public import FleetProtocol

/// The password-reset tokens of users: at most one for each user, the newest. Only addresses of users have an
/// entry, so the number of users bounds the table.
struct PasswordResets: Sendable {
    private struct Sent: Sendable {
        let reset: PasswordReset
        let begunAt: MonotonicTime
    }

    private var sent: [Email: Sent] = [:]
    private var emails: [TokenDigest: Email] = [:]

    /// Adds a token and invalidates the user's former one.
    mutating func begin(_ reset: PasswordReset, at now: MonotonicTime) {
        end(of: reset.email)
        sent[reset.email] = Sent(reset: reset, begunAt: now)
        emails[reset.digest] = reset.email
    }

    /// Restores a stored reset unless its token has expired.
    mutating func restore(_ retained: PasswordReset, at now: Moment) {
        // The age is negative after the clock was set back; it counts as zero.
        let age = max(.zero, retained.begunAt.duration(to: now.wall))
        if age < PasswordReset.lifetime { begin(retained, at: now.monotonic.advanced(by: .zero - age)) }
    }

    /// Returns the user of a token; nil if the token is unknown, used or expired.
    func user(of digest: TokenDigest, at now: MonotonicTime) -> Email? {
        guard let email = emails[digest], let known = sent[email],
            known.begunAt.duration(to: now) < PasswordReset.lifetime
        else { return nil }
        return email
    }

    /// Returns the reset of an address that began within the last ``PasswordReset/pause``; nil otherwise.
    func recent(of email: Email, at now: MonotonicTime) -> PasswordReset? {
        guard let known = sent[email], known.begunAt.duration(to: now) < PasswordReset.pause else {
            return nil
        }
        return known.reset
    }

    @discardableResult
    mutating func end(of email: Email) -> Bool {
        guard let ended = sent.removeValue(forKey: email) else { return false }
        emails[ended.reset.digest] = nil
        return true
    }
}

/// A password reset: the holder of its token may choose a new password.
public struct PasswordReset: Sendable, Equatable {
    public static let lifetime: Duration = .seconds(900)
    /// The minimum time between two tokens for one address.
    public static let pause: Duration = .seconds(60)

    /// The hash of the token; the token itself is only in the message.
    public let digest: TokenDigest
    /// The address in the request, which need not belong to a user.
    public let email: Email
    public let begunAt: WallTime

    /// Creates a reset from its fields.
    public init(digest: TokenDigest, email: Email, begunAt: WallTime) {
        (self.digest, self.email, self.begunAt) = (digest, email, begunAt)
    }
}

/// The rate limit of sign-ups: a token bucket for each source, and one for all sources together. Each sign-up
/// creates a permanent account. The second half of the shared bucket is reserved for sources that have not
/// signed up recently, so that one source cannot exhaust it.
struct SignUps: Sendable {
    /// The size of a bucket, and the interval in which it regains one sign-up.
    struct Allowance: Sendable {
        let burst: Int
        let interval: Duration

        static let source = Allowance(burst: 8, interval: .seconds(600))
        /// The bucket of all sources together.
        static let all = Allowance(burst: 256, interval: .seconds(10))

        /// The time until a sign-up is allowed, given the time at which the bucket is full again.
        fileprivate func wait(
            wholeAt: MonotonicTime, reserving retained: Int = 0, at now: MonotonicTime
        ) -> Duration {
            now.duration(to: wholeAt) + interval - interval * (burst - retained)
        }
    }

    /// When the shared bucket is full again; kept across restarts.
    private var wholeAt = MonotonicTime.zero
    /// When the bucket of each source is full again; sources with a full bucket have no entry.
    private var sourcesWholeAt: [LoginQueue.Source: MonotonicTime] = [:]

    /// When the shared bucket is full again, as wall time, for the next run of the controller.
    func wholeAt(asOf now: Moment) -> WallTime {
        now.wall.advanced(by: now.monotonic.duration(to: wholeAt))
    }

    /// Restores the fill of the shared bucket from an earlier run of the controller.
    mutating func restore(wholeAt known: WallTime, at now: Moment) {
        // After the clock was set back, the bucket counts as empty at worst.
        let longest = Allowance.all.interval * Allowance.all.burst
        wholeAt = now.monotonic.advanced(by: max(.zero, min(longest, now.wall.duration(to: known))))
    }

    /// Takes one sign-up from both buckets, whether or not the sign-up succeeds later. Returns the time until
    /// a sign-up is allowed; nil if it is allowed now.
    mutating func spend(by source: LoginQueue.Source, at now: MonotonicTime) -> Duration? {
        sourcesWholeAt = sourcesWholeAt.filter { $0.value > now }
        let known = sourcesWholeAt[source]
        let reserved = known == nil ? 0 : Allowance.all.burst / 2
        let wait = max(
            Allowance.source.wait(wholeAt: known ?? now, at: now),
            Allowance.all.wait(wholeAt: max(wholeAt, now), reserving: reserved, at: now))
        guard wait <= .zero else { return wait }
        sourcesWholeAt[source] = (known ?? now).advanced(by: Allowance.source.interval)
        wholeAt = max(wholeAt, now).advanced(by: Allowance.all.interval)
        return nil
    }
}

public struct PasswordHashing: Sendable, Equatable {
    /// The number that the worker returns with the hash.
    public let ticket: UInt64
    public let password: Password
}

/// The queues of user changes whose passwords are not hashed yet. The worker gets one password at a time, so
/// a log-in waits for at most one hash. Accounts with devices share one queue, with a quota for each; other
/// accounts share a second. The worker alternates between them.
struct UserChanges: Sendable {
    /// A user change that an operator or the holder of a reset token requested.
    struct Change: Sendable {
        enum Kind: Sendable {
            case add(User)
            case passwordChange(Email, retainsKeys: Bool)
            /// A password reset of the user who received the token.
            case reset(retainsKeys: Bool)
            /// A new account with its first user, for an operator of all cells.
            case account(AccountCreation)
        }

        let kind: Kind
        let password: Password
        let account: AccountIndex
        /// The caller's session or reset token, which may have ended when the hash is known.
        let asker: TokenDigest
        let waiter: Waiter
    }

    struct Standing: Sendable {
        let hasDevices: Bool
        /// The number of the account's changes that may wait.
        let share: Int
    }

    private var ofAccountsWithDevices: Deque<Change> = []
    private var ofOthers: Deque<Change> = []
    private var wasOfOthers = true
    private var hashing: (ticket: UInt64, change: Change)?
    private var lastTicket: UInt64 = 0

    /// Queues a change; returns false if the account's quota or the queue is full.
    mutating func enqueue(_ change: Change, as standing: Standing) -> Bool {
        let line = standing.hasDevices ? ofAccountsWithDevices : ofOthers
        guard line.count(where: { $0.account == change.account }) < standing.share,
            standing.hasDevices || line.count < Limits.userChanges
        else { return false }
        if standing.hasDevices {
            ofAccountsWithDevices.append(change)
        } else {
            ofOthers.append(change)
        }
        return true
    }

    /// Returns the next password for the worker; nil while the worker is busy or the queues are empty.
    mutating func next() -> PasswordHashing? {
        guard hashing == nil else { return nil }
        wasOfOthers = !ofOthers.isEmpty && (!wasOfOthers || ofAccountsWithDevices.isEmpty)
        let next = wasOfOthers ? ofOthers.popFirst() : ofAccountsWithDevices.popFirst()
        guard let change = next else { return nil }
        lastTicket += 1
        hashing = (lastTicket, change)
        return PasswordHashing(ticket: lastTicket, password: change.password)
    }

    /// Returns the change of a hashed password; nil if the ticket is not the pending one.
    mutating func finish(_ ticket: UInt64) -> Change? {
        guard let (current, change) = hashing, current == ticket else { return nil }
        hashing = nil
        return change
    }
}

/// The message that carries a user's password-reset token. Its description never shows the token.
public struct OutgoingMessage: Sendable, Equatable, CustomStringConvertible {
    /// The address of the user.
    public let recipient: Email
    /// The reset token, valid once.
    public let token: Token
    public let expiresAt: WallTime
    /// The cell that knows the token; nil for a fleet without cells.
    public let cell: CellName?

    /// Creates a message from its fields.
    public init(to recipient: Email, token: Token, expiresAt: WallTime, cell: CellName? = nil) {
        (self.recipient, self.token, self.expiresAt) = (recipient, token, expiresAt)
        self.cell = cell
    }

    /// The recipient, without the token.
    public var description: String { "message to \(recipient)" }
}
