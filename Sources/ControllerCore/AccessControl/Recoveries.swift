import FleetProtocol
import Stepping

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
