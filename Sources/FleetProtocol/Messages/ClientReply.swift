extension ClientReply {
    /// The kinds of reply.
    public enum Body: Sendable, Equatable {
        /// The request was refused.
        case refusal(Refusal)
        /// A session was opened.
        case session(Session, Token)
        /// That many sessions ended.
        case signedOut(sessions: UInt32)
        /// The outcome of a request.
        case outcome(OutcomeReport)
        /// The answer to a cancel.
        case cancel(RequestID, CancelReply)
        /// Some of the account's devices.
        case snapshot(SnapshotChunk)
        /// The status of the fleet.
        case status(StatusReport)
        /// A fault was sent to that many devices.
        case injected(devices: UInt32)
        /// A user was added.
        case userAdded(User)
        /// All users of the account, by email.
        case users([User])
        /// A user was removed; that many sessions ended.
        case userRemoved(sessions: UInt32)
        /// A user's password was changed; that many sessions ended, and that many keys were revoked.
        case passwordChanged(sessions: UInt32, keys: UInt32 = 0)
        /// A user's role was changed; the user with the new role.
        case userChanged(User)
        /// The combined result of an order to nodes.
        case carriedOut(OrderReport)
        /// The active faults of the account's devices.
        case faults(FaultList)
        /// Some of the account's ended requests.
        case history(HistoryChunk)
        /// An API key was created.
        case keyAdded(APIKey)
        /// All API keys of the user, by name.
        case keys([APIKey])
        /// An API key was revoked.
        case keyRevoked(APIKey)
        /// The session that the token stands for.
        case who(Session)
        /// The counters of the controller and of some of the account's nodes.
        case counters(CounterReport)
        /// A ticket to the account's stream.
        case streamTicket(StreamTicket)
        /// The reply to a sign-up or password-reset request.
        indirect case selfService(SelfServiceReply)
        /// The reply of an account service.
        case service(ServiceMessage)
    }
}

extension NodeRun: CustomStringConvertible {
    /// The machine and the boot ID.
    public var description: String { "\(host.isEmpty ? "an unnamed host" : host) (boot \(bootID))" }
}

extension HistoryChunk.PastOutcome {
    /// The upper bound of its size in a chunk: 240 bytes for numbers and framing, and its texts.
    public var bytesAtMost: Int {
        let textBytes = if case .rejected(let why) = report.outcome { why.utf8.count } else { 0 }
        return 240 + report.user.address.utf8.count + textBytes
    }
}
