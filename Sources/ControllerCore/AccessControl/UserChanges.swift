import DequeModule
public import FleetProtocol

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
