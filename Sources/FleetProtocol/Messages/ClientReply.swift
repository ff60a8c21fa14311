/// What the controller answers to a user's program.
public struct ClientReply: Sendable, Equatable {
    /// The kinds of reply.
    public enum Body: Sendable, Equatable {
        /// The message was not accepted.
        case refusal(Refusal)
        /// A session was opened.
        case session(Session, Token)
        /// That many sessions ended.
        case signedOut(sessions: UInt32)
        /// What became of a request.
        case outcome(OutcomeReport)
        /// What became of a cancel.
        case cancel(RequestID, CancelAnswer)
        /// Some of the account's devices.
        case snapshot(SnapshotChunk)
        /// How the fleet is.
        case status(StatusReport)
        /// A fault is on its way to that many devices.
        case injected(devices: UInt32)
        /// Somebody may log in from now on.
        case userAdded(User)
        /// Everybody who may log in to the account, by email.
        case users([User])
        /// Somebody may not any more; that many sessions ended.
        case userRemoved(sessions: UInt32)
        /// Somebody has another password; that many sessions ended.
        case passwordChanged(sessions: UInt32, keys: UInt32 = 0)
        /// A user's role was changed; the user with the new role.
        case userChanged(User)
        /// What nodes have made of an order.
        case carriedOut(OrderReport)
        /// The active faults of the account's devices.
        case faults(FaultList)
        /// Some of the account's requests that have ended.
        case history(HistoryChunk)
        /// A key opens the door from now on.
        case keyAdded(APIKey)
        /// Every key of whoever asks, by name.
        case keys([APIKey])
        /// A key opens nothing any more.
        case keyRevoked(APIKey)
        /// Whom the token stands for.
        case who(Session)
        /// What the controller and some of the account's nodes have counted.
        case counters(CounterReport)
        /// A ticket to the account's stream.
        case streamTicket(StreamTicket)
        /// What becomes of somebody who asked to come in.
        indirect case wayIn(WayInReply)
        /// The reply of an account service.
        case service(ServiceMessage)
    }

    /// The request's.
    public let correlation: UInt64
    /// What is answered.
    public let body: Body

    /// The reply of those parts.
    public init(correlation: UInt64, body: Body) {
        self.correlation = correlation
        self.body = body
    }
}

/// How the fleet of one account is.
public struct StatusReport: Sendable, Equatable {
    /// The controller's start number.
    public var epoch: Epoch
    /// Devices of this account.
    public var devices: UInt32
    /// Those online.
    public var online: UInt32
    /// Those whose node has been silent for a moment.
    public var stale: UInt32
    /// Those offline.
    public var offline: UInt32
    /// Those of the offline ones whose node is there: they have no connection of their own.
    public var disconnected: UInt32
    /// Those whose node has not said hello yet.
    public var unknown: UInt32
    /// Requests ended in the last full second, of all accounts.
    public var togglesPerSecond: Double
    /// Requests that have not ended, of all accounts.
    public var pending: UInt32
    /// The longest time between two turns of the controller's loop in the last full second, microseconds.
    public var loopLagUs: UInt64

    /// The report of those numbers.
    public init(
        epoch: Epoch, devices: UInt32 = 0, online: UInt32 = 0, stale: UInt32 = 0, offline: UInt32 = 0,
        disconnected: UInt32 = 0, unknown: UInt32 = 0, togglesPerSecond: Double = 0, pending: UInt32 = 0,
        loopLagUs: UInt64 = 0
    ) {
        self.epoch = epoch
        self.devices = devices
        self.online = online
        self.stale = stale
        self.offline = offline
        self.disconnected = disconnected
        self.unknown = unknown
        self.togglesPerSecond = togglesPerSecond
        self.pending = pending
        self.loopLagUs = loopLagUs
    }
}
