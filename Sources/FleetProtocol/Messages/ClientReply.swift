/// A reply of the controller to a client.
public struct ClientReply: Sendable, Equatable {
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

    /// The request's correlation.
    public let correlation: UInt64
    /// The content.
    public let body: Body

    /// A reply with the given values.
    public init(correlation: UInt64, body: Body) { (self.correlation, self.body) = (correlation, body) }
}

/// The status of one account's fleet.
public struct StatusReport: Sendable, Equatable {
    /// The controller's start number.
    public var epoch: Epoch
    /// Devices of this account.
    public var devices: UInt32
    /// The number of online devices.
    public var online: UInt32
    /// The number of devices whose node has sent nothing for a moment.
    public var stale: UInt32
    /// The number of offline devices.
    public var offline: UInt32
    /// The offline devices whose node is online: they have lost their own connection.
    public var disconnected: UInt32
    /// The devices whose node has not sent a hello yet.
    public var unknown: UInt32
    /// Requests ended in the last full second, of all accounts.
    public var togglesPerSecond: Double
    /// Requests that have not ended, of all accounts.
    public var pending: UInt32
    /// The longest time between two turns of the controller's loop in the last full second, microseconds.
    public var loopLagUs: UInt64
    /// Nodes with two processes, at most ``Limits/nodeConflicts``.
    public var conflicts: [NodeConflict]

    /// A report with the given numbers.
    public init(
        epoch: Epoch, devices: UInt32 = 0, online: UInt32 = 0, stale: UInt32 = 0, offline: UInt32 = 0,
        disconnected: UInt32 = 0, unknown: UInt32 = 0, togglesPerSecond: Double = 0, pending: UInt32 = 0,
        loopLagUs: UInt64 = 0, conflicts: [NodeConflict] = []
    ) {
        (self.epoch, self.devices, self.online, self.stale) = (epoch, devices, online, stale)
        (self.offline, self.disconnected, self.unknown) = (offline, disconnected, unknown)
        (self.togglesPerSecond, self.pending, self.loopLagUs) = (togglesPerSecond, pending, loopLagUs)
        self.conflicts = conflicts
    }
}

/// Two processes that run as one node: the later one is refused until the other leaves or is lost.
public struct NodeConflict: Hashable, Sendable {
    /// The node.
    public let node: NodeName
    /// The process that the devices belong to.
    public let serving: NodeRun
    /// The process that is refused.
    public let refused: NodeRun

    /// A conflict with the given values.
    public init(node: NodeName, serving: NodeRun, refused: NodeRun) {
        (self.node, self.serving, self.refused) = (node, serving, refused)
    }
}

/// One run of a node process.
public struct NodeRun: Hashable, Sendable, CustomStringConvertible {
    /// The name of its machine, as the node knows it.
    public let host: String
    /// Its boot ID.
    public let bootID: BootID

    /// A run with the given values.
    public init(host: String, bootID: BootID) { (self.host, self.bootID) = (host, bootID) }

    /// The machine and the boot ID.
    public var description: String { "\(host.isEmpty ? "an unnamed host" : host) (boot \(bootID))" }
}
