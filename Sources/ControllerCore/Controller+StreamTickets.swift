public import FleetProtocol
public import Stepping

/// A token that the shell has made for the controller, which has no randomness of its own.
public struct FreshToken: Sendable {
    /// The secret.
    public let token: Token
    /// The SHA-256 of the token, which the controller stores.
    public let digest: TokenDigest

    /// The token of those parts.
    public init(_ token: Token, digest: TokenDigest) {
        self.token = token
        self.digest = digest
    }
}

/// Access to an account's stream: by a ticket, for as long as the session that requested it.
extension Controller {
    /// A peer of `stream` has subscribed to what may be a ticket.
    ///
    /// - Parameter isCertain: Whether an approval concerns this peer for sure, if it is still there.
    /// - Returns: The topic to approve the peer for, before anything else is received; nil for no ticket.
    public mutating func subscribe(_ ticket: TokenDigest, isCertain: Bool) -> StreamTopic? {
        guard let account = streamTickets.account(of: ticket) else { return nil }
        return streamTickets.subscribe(
            ticket, to: directory.accounts[Int(account)].id, isCertain: isCertain)
    }

    /// A subscription to what may be a ticket has ended, or its peer has gone.
    public mutating func unsubscribe(_ ticket: TokenDigest, at now: MonotonicTime) {
        streamTickets.unsubscribe(ticket, at: now)
    }

    /// Opens the streams of approved peers, after `stream` has received everything that was waiting.
    ///
    /// - Returns: The accounts with a new stream.
    public mutating func settleStreams() -> [AccountID] {
        streamTickets.settle().map { directory.accounts[Int($0)].id }
    }

    /// The topics under which an account's updates are published now.
    public func streamTopics(of account: AccountID) -> [StreamTopic] {
        directory.account(account).map { streamTickets.topics(of: $0) } ?? []
    }

    mutating func giveTicket(
        _ fresh: FreshToken, to session: TokenDigest?, isUnattended: Bool, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        guard let session,
            let entry = useSession(session, ignoring: isUnattended, at: now.wall, into: &effects)
        else { return refuse(.unauthenticated, to: waiter, into: &effects) }
        guard
            streamTickets.add(
                fresh.digest, for: session, isUnattended: isUnattended, of: entry.account, at: now.monotonic)
        else { return refuse(.busy(retryAfter: Limits.beatInterval), to: waiter, into: &effects) }
        let topic = Topic.stream(of: directory.accounts[Int(entry.account)].id)
        reply(.streamTicket(StreamTicket(ticket: fresh.token, topic: topic)), to: waiter, into: &effects)
    }

    /// The session of a token that is valid now; the use is noted, if it is one, and stored when that is due.
    private mutating func useSession(
        _ digest: TokenDigest, ignoring isNoUse: Bool, at now: WallTime, into effects: inout Effects
    ) -> Sessions.Entry? {
        sessions.ignoresUse = isNoUse
        defer { sessions.ignoresUse = false }
        guard let entry = sessions.use(digest, at: now) else { return nil }
        if !isNoUse, now >= entry.dueAt { effects.store(.access(sessions.storeUse(digest, at: now))) }
        return entry
    }

    /// Ends the streams of sessions that have ended.
    ///
    /// A session counts as used while it has a ticket, other than those that a program has for itself.
    mutating func sweepStreams(at now: Moment, into effects: inout Effects) {
        sweptClosings = sessions.closings
        streamTickets.forgetIdle(at: now.monotonic)
        let ended = streamTickets.sessions.filter { session, isAttended in
            useSession(session, ignoring: !isAttended, at: now.wall, into: &effects) == nil
        }
        for (account, topic) in streamTickets.end(Set(ended.keys)) {
            let record = directory.accounts[Int(account)]
            let update = StreamUpdate(
                epoch: epoch, sequence: record.sequence, at: now.wall, body: .beat, isLast: true)
            effects.lastUpdates.append((topic, update))
        }
    }
}
