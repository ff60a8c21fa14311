import FleetProtocol
import Stepping

/// The stream of one account: the credentials with which tickets are requested, and the ticket in use.
struct AccountStream: Sendable {
    /// The prefix of the topics of the account's streams.
    let topic: [UInt8]
    /// Credentials for this account alone; without any, the client's own are used.
    var names = KnownCredentials()
    /// The credentials of the request for a ticket that is under way; nil between requests.
    var asking: Credentials?
    /// The ticket that the socket subscribes to.
    var ticket: Token?
    /// Whether all known credentials were refused: no ticket is requested before there are others.
    var isRefused = false
    /// The time of the last update or ticket.
    var heardAt: MonotonicTime

    /// A stream without a ticket.
    init(of account: AccountID, at now: MonotonicTime) {
        topic = Topic.stream(of: account)
        heardAt = now
    }

    /// When the stream counts as silent if nothing arrives before.
    var silentAt: MonotonicTime { heardAt.advanced(by: Limits.staleAfter) }

    /// Whether a ticket should be requested, since nothing has come for ``Limits/staleAfter``.
    func isSilent(at now: MonotonicTime) -> Bool {
        asking == nil && !isRefused && silentAt <= now
    }
}
