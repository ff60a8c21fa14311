import FleetProtocol
import Stepping

/// Who is logged in, and with what rights.
struct Sessions: Sendable {
    /// One open session.
    struct Entry: Sendable {
        let session: Session
        let account: AccountIndex
        let openedAt: WallTime
        var usedAt: WallTime
    }

    /// A session ends when it was not used for this long.
    static let longestIdle: Duration = .seconds(7 * 24 * 3_600)
    /// A session of this age ends, whatever its use.
    static let longestAge: Duration = .seconds(30 * 24 * 3_600)
    /// Sessions that one user may have; the oldest ends when there would be more.
    static let perUser = 64

    private var entries: [TokenDigest: Entry] = [:]
    private var digests: [Email: [TokenDigest]] = [:]

    /// The session of a token that is valid now; the use is noted.
    mutating func use(_ digest: TokenDigest, at now: WallTime) -> Entry? {
        guard let place = entries.index(forKey: digest) else { return nil }
        let entry = entries.values[place]
        guard entry.usedAt.duration(to: now) < Self.longestIdle,
            entry.openedAt.duration(to: now) < Self.longestAge
        else { return nil }
        entries.values[place].usedAt = now
        return entry
    }

    /// Opens a session; returns what had to end for it.
    mutating func open(
        _ digest: TokenDigest, for session: Session, account: AccountIndex, openedAt: WallTime
    ) -> [TokenDigest] {
        var ended: [TokenDigest] = []
        while let oldest = digests[session.email]?.first, digests[session.email]?.count ?? 0 >= Self.perUser {
            ended.append(oldest)
            close(oldest)
        }
        entries[digest] = Entry(session: session, account: account, openedAt: openedAt, usedAt: openedAt)
        digests[session.email, default: []].append(digest)
        return ended
    }

    /// Every session of a user, oldest first.
    func all(of email: Email) -> [TokenDigest] { digests[email] ?? [] }

    /// Ends one session.
    mutating func close(_ digest: TokenDigest) {
        guard let entry = entries.removeValue(forKey: digest) else { return }
        digests[entry.session.email]?.removeAll { $0 == digest }
    }
}
