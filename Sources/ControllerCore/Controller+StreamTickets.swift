public import FleetProtocol

/// A random token from the shell; the controller has no randomness of its own.
public struct FreshToken: Sendable {
    public let token: Token
    /// The SHA-256 of the token, which the controller stores.
    public let digest: TokenDigest

    /// Creates a fresh token from its parts.
    public init(_ token: Token, digest: TokenDigest) { (self.token, self.digest) = (token, digest) }
}

/// Access to an account's stream, with a ticket that is valid as long as the session that requested it.
extension Controller {
    /// Records that a peer of `stream` has subscribed to a topic that may be a ticket. Returns the topic to
    /// approve the peer for, before anything else is received. An approval may not be certain to reach this
    /// peer, even if it is still connected.
    public mutating func subscribe(_ ticket: TokenDigest, isCertain: Bool) -> StreamTopic? {
        guard let account = access.streamTickets.account(of: ticket) else { return nil }
        return access.streamTickets.subscribe(
            ticket, to: engine.directory.accounts[Int(account)].id, isCertain: isCertain)
    }

    /// Records the end of a subscription to a topic that may be a ticket, or of its connection.
    public mutating func unsubscribe(_ ticket: TokenDigest, at now: MonotonicTime) {
        access.streamTickets.unsubscribe(ticket, at: now)
    }

    /// Opens the streams of approved peers, after `stream` has received all pending messages. Returns the
    /// accounts with a new stream.
    public mutating func settleStreams() -> [AccountID] {
        access.streamTickets.settle().map { engine.directory.accounts[Int($0)].id }
    }

    // Speed: see performance.md, "copies".
    /// The topics of an account's open streams.
    public mutating func streamTopics(of account: AccountID) -> [StreamTopic] {
        engine.directory.account(account).map { access.streamTickets.topics(of: $0) } ?? []
    }
}
