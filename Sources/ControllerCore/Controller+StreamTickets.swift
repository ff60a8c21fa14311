public import FleetProtocol
public import FleetTime

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
        guard let account = access.streamTickets.account(of: ticket) else { return nil }
        return access.streamTickets.subscribe(
            ticket, to: engine.directory.accounts[Int(account)].id, isCertain: isCertain)
    }

    /// A subscription to what may be a ticket has ended, or its peer has gone.
    public mutating func unsubscribe(_ ticket: TokenDigest, at now: MonotonicTime) {
        access.streamTickets.unsubscribe(ticket, at: now)
    }

    /// Opens the streams of approved peers, after `stream` has received everything that was waiting.
    ///
    /// - Returns: The accounts with a new stream.
    public mutating func settleStreams() -> [AccountID] {
        access.streamTickets.settle().map { engine.directory.accounts[Int($0)].id }
    }

    /// The topics under which an account's updates are published now.
    public func streamTopics(of account: AccountID) -> [StreamTopic] {
        engine.directory.account(account).map { access.streamTickets.topics(of: $0) } ?? []
    }
}
