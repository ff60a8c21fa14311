import DequeModule
public import FleetProtocol
public import Stepping

/// The tokens with which users may choose another password: one for each, the newest.
///
/// It holds those of users alone, so there are no more of them than users.
struct Recoveries: Sendable {
    private struct Sent: Sendable {
        let recovery: Recovery
        let begunAt: MonotonicTime
    }

    private var sent: [Email: Sent] = [:]
    private var emails: [TokenDigest: Email] = [:]

    /// A token is on its way; a former one of the same user is worth nothing any more.
    mutating func begin(_ recovery: Recovery, at now: MonotonicTime) {
        end(of: recovery.email)
        sent[recovery.email] = Sent(recovery: recovery, begunAt: now)
        emails[recovery.digest] = recovery.email
    }

    /// Takes up what was begun in an earlier life of the controller, if it is not over.
    mutating func recall(_ kept: Recovery, at now: Moment) {
        // A clock that was set back makes nothing younger than now.
        let age = max(.zero, kept.begunAt.duration(to: now.wall))
        if age < Recovery.lifetime { begin(kept, at: now.monotonic.advanced(by: .zero - age)) }
    }

    /// Whose token that is; nil for one that is not known, was used, or is too old.
    func user(of digest: TokenDigest, at now: MonotonicTime) -> Email? {
        guard let email = emails[digest], let known = sent[email],
            known.begunAt.duration(to: now) < Recovery.lifetime
        else { return nil }
        return email
    }

    /// What was begun for an address so lately that no other token is sent.
    func recent(of email: Email, at now: MonotonicTime) -> Recovery? {
        guard let known = sent[email], known.begunAt.duration(to: now) < Recovery.pause else { return nil }
        return known.recovery
    }

    /// A user's token is worth nothing any more; false where there was none.
    @discardableResult
    mutating func end(of email: Email) -> Bool {
        guard let ended = sent.removeValue(forKey: email) else { return false }
        emails[ended.recovery.digest] = nil
        return true
    }
}

/// Somebody asked for another password: who shows what hashes to this may choose it.
public struct Recovery: Sendable, Equatable {
    /// A token is good for this long.
    public static let lifetime: Duration = .seconds(900)
    /// An address is sent no other token for this long.
    public static let pause: Duration = .seconds(60)

    /// What the token hashes to; the token itself is in the message, and nowhere else.
    public let digest: TokenDigest
    /// The address that was named, of a user or of nobody.
    public let email: Email
    /// When.
    public let begunAt: WallTime

    /// The recovery of those values.
    public init(digest: TokenDigest, email: Email, begunAt: WallTime) {
        self.digest = digest
        self.email = email
        self.begunAt = begunAt
    }
}

/// The rate of sign-ups: a burst, and then one in each interval, for each source and over all.
///
/// Each makes an account for good. A source that would make many is slowed down, and others are not: while
/// less than half of what all have together is left, it is for sources that have not signed up lately.
struct SignUps: Sendable {
    /// A burst, and the interval after which there may be one more.
    struct Allowance: Sendable {
        let burst: Int
        let interval: Duration

        /// Of one source.
        static let source = Allowance(burst: 8, interval: .seconds(600))
        /// Of all together.
        static let all = Allowance(burst: 256, interval: .seconds(10))

        /// The time until a sign-up is allowed, for an allowance that is whole at some time.
        fileprivate func wait(
            wholeAt: MonotonicTime, keepingBack kept: Int = 0, at now: MonotonicTime
        ) -> Duration {
            now.duration(to: wholeAt) + interval - interval * (burst - kept)
        }
    }

    /// When all is there again that all sources have together; also after a restart of the controller.
    private var wholeAt = MonotonicTime.zero
    /// When it is that a source has; of those that have not all of it.
    private var sourcesWholeAt: [LoginQueue.Source: MonotonicTime] = [:]

    /// When all is there again that all sources have together, for the next life of the controller.
    func wholeAt(asOf now: Moment) -> WallTime {
        now.wall.advanced(by: now.monotonic.duration(to: wholeAt))
    }

    /// Takes up when all is there again, as an earlier life of the controller knew it.
    mutating func recall(wholeAt known: WallTime, at now: Moment) {
        // A clock that was set back costs no more than one burst.
        let longest = Allowance.all.interval * Allowance.all.burst
        wholeAt = now.monotonic.advanced(by: max(.zero, min(longest, now.wall.duration(to: known))))
    }

    /// Takes the place of one, whatever becomes of it.
    ///
    /// - Returns: How long to wait for a place; nil: there was one.
    mutating func spend(by source: LoginQueue.Source, at now: MonotonicTime) -> Duration? {
        sourcesWholeAt = sourcesWholeAt.filter { $0.value > now }
        let known = sourcesWholeAt[source]
        let keptBack = known == nil ? 0 : Allowance.all.burst / 2
        let wait = max(
            Allowance.source.wait(wholeAt: known ?? now, at: now),
            Allowance.all.wait(wholeAt: max(wholeAt, now), keepingBack: keptBack, at: now))
        guard wait <= .zero else { return wait }
        sourcesWholeAt[source] = (known ?? now).advanced(by: Allowance.source.interval)
        wholeAt = max(wholeAt, now).advanced(by: Allowance.all.interval)
        return nil
    }
}

/// A password to be hashed by the worker that hashes.
public struct PasswordHashing: Sendable, Equatable {
    /// Comes back with the hash.
    public let ticket: UInt64
    /// What somebody shall log in with.
    public let password: Password
}

/// Changes of users that wait for their password to be hashed.
///
/// The worker gets one at a time, so that a log-in waits for one hash at most. Accounts with devices wait in
/// one line, each with its share of the places, and others in another; the worker takes from both in turn.
struct UserChanges: Sendable {
    /// What an operator asked for, or who forgot their password.
    struct Change: Sendable {
        /// What shall be so once the hash is there.
        enum Kind: Sendable {
            case add(User)
            case passwordChange(Email, keepsKeys: Bool)
            /// Of whom the asker's token was sent to.
            case reset(keepsKeys: Bool)
        }

        let kind: Kind
        let password: Password
        /// Whose user it is about.
        let account: AccountIndex
        /// The session that asks, or a token for another password; it may have ended when the hash is there.
        let asker: TokenDigest
        let waiter: Waiter
    }

    /// An account's place in a line.
    struct Standing: Sendable {
        let hasDevices: Bool
        /// Changes of it that may wait.
        let share: Int
    }

    private var ofAccountsWithDevices: Deque<Change> = []
    private var ofOthers: Deque<Change> = []
    private var wasOfOthers = true
    private var hashing: (ticket: UInt64, change: Change)?
    private var lastTicket: UInt64 = 0

    /// Lets one wait; false when there are too many.
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

    /// Hands the next to the worker, if that has none.
    mutating func next() -> PasswordHashing? {
        guard hashing == nil else { return nil }
        wasOfOthers = !ofOthers.isEmpty && (!wasOfOthers || ofAccountsWithDevices.isEmpty)
        let next = wasOfOthers ? ofOthers.popFirst() : ofAccountsWithDevices.popFirst()
        guard let change = next else { return nil }
        lastTicket += 1
        hashing = (lastTicket, change)
        return PasswordHashing(ticket: lastTicket, password: change.password)
    }

    /// The worker is done with a ticket; nil when it is not the one that is being hashed.
    mutating func finish(_ ticket: UInt64) -> Change? {
        guard let (current, change) = hashing, current == ticket else { return nil }
        hashing = nil
        return change
    }
}

/// What a user is to be sent: the token with which they choose another password.
///
/// Its description never shows the token.
public struct OutgoingMessage: Sendable, Equatable, CustomStringConvertible {
    /// Where it goes.
    public let recipient: Email
    /// What opens the door, once.
    public let token: Token
    /// Until when it does.
    public let expiresAt: WallTime

    /// The message of those values.
    public init(to recipient: Email, token: Token, expiresAt: WallTime) {
        self.recipient = recipient
        self.token = token
        self.expiresAt = expiresAt
    }

    /// Whom it is for.
    public var description: String { "message to \(recipient)" }
}
