public import FleetProtocol

/// The controller's state machine: a router above three machines.
///
/// ``AccessControl`` identifies callers, ``RequestEngine`` handles requests to devices, and
/// ``AccountServices`` has the logbooks, sites, rosters and command queues of accounts. Each has its own
/// state. One of several cells has ``AccountMoves``, too. The router is a state machine as well: it takes an
/// input and the time, and appends effects.
public struct Controller: Sendable {
    public enum Input: Sendable {
        /// A client request other than a ticket request; the digest is its token's, nil without a token.
        case client(ConnectionID, ClientRequest, digest: TokenDigest?)
        /// A client's request for a stream ticket; the fresh token becomes the ticket.
        case ticketRequest(
            ConnectionID, correlation: UInt64, digest: TokenDigest?, fresh: FreshToken,
            isUnattended: Bool = false)
        /// A message that a node sent on `devices`.
        case node(ConnectionID, NodeMessage)
        /// A telemetry message that a node published.
        case telemetry(Telemetry)
        /// A new subscription to the stream of an account.
        case subscribed(AccountID)
        /// The worker's result of a password check, with a fresh token. `hash` is the password's hash if the
        /// check had no stored hash to compare with. Both are used only if the request is accepted.
        case passwordChecked(
            ticket: UInt64, didMatch: Bool, token: Token, digest: TokenDigest, hash: String? = nil)
        /// The worker's hash of the password of a user who is added or gets a new password.
        case passwordHashed(ticket: UInt64, hash: String)
        /// The changes since the last such input are committed; `took` is the duration of the commit, and
        /// `segment` the journal's newest segment.
        case stored(took: Duration, segment: Int? = nil)
        /// Outcomes read from the journal after the start; more follow, with IDs up to `unreadUpTo`, which is
        /// nil for the last part.
        case replayed(JournalReplay, unreadUpTo: WallTime?)
        /// The disk is full, or has room again.
        case storage(isFull: Bool)
        case cell(CellInput)
        /// A turn after the sockets were drained; `lastTook` is the duration of the previous turn.
        case turn(lastTook: Duration)
    }

    let configuration: ControllerConfiguration
    var access: AccessControl
    var engine: RequestEngine
    var services = AccountServices()
    /// The moves of accounts to and from other cells; nil without cells.
    var moves: AccountMoves?
    /// The number of records of labels that could not be read.
    public var unreadableRecords: Int { services.unreadableRecords }
    /// An account service with another record that could not be read; nil if all could.
    public var damagedService: ServiceName? { services.damaged }
    // Speed: see performance.md, "copies".
    /// The latest time of the next turn.
    public var nextDue: MonotonicTime {
        mutating get {
            let due = min(engine.nextDue ?? .never, services.commandQueues.nextDue ?? .never)
            return min(min(due, access.nextDue), moves?.nextDue ?? .never)
        }
    }

    /// Creates a controller that has just started, with the content of its journal. It knows its users,
    /// sessions and requests. Of its nodes it knows only the devices of the lists, which it awaits as far as
    /// it has room.
    public init(
        _ configuration: ControllerConfiguration, recovering replay: JournalReplay = JournalReplay(),
        awaiting lists: [NodeDevices] = [], at now: Moment
    ) {
        var kept = configuration
        // The services have them from here on.
        kept.records = []
        self.configuration = kept
        var directory = Directory()
        access = AccessControl(configuration, in: &directory, at: now)
        moves = AccountMoves(configuration, at: now.monotonic)
        for record in configuration.records {
            if let account = directory.accountMade(record.account) {
                services.restore(record, of: account)
            }
        }
        engine = RequestEngine(configuration, with: directory, recovering: replay, awaiting: lists, at: now)
        resumeCommandQueues(at: now)
    }

    /// An account service that cannot read one of its records of an account; nil if all can be read.
    public static func damagedService(in records: [ServiceRecord]) -> ServiceName? {
        var services = AccountServices()
        for record in records { services.restore(record, of: 0) }
        return services.damaged
    }

    // Speed: see performance.md, "copies".
    /// Handles a client request other than a ticket request.
    ///
    /// The digest is that of the request's token.
    public mutating func receive(
        _ request: ClientRequest, from client: ConnectionID, digest: TokenDigest?, at now: Moment,
        into effects: inout Effects
    ) {
        engine.meter.countRequest()
        let waiter = Waiter(connection: client, correlation: request.correlation)
        handle(request, from: waiter, digest: digest, at: now, into: &effects)
        endStep(at: now, into: &effects)
    }

    // Speed: see performance.md, "copies".
    /// Handles a message that a node sent on `devices`.
    public mutating func receive(
        _ message: NodeMessage, from node: ConnectionID, at now: Moment, into effects: inout Effects
    ) {
        engine.meter.countNodeMessage()
        if case .hello(let hello) = message.body {
            if let successor = access.placement?.departed[hello.account] {
                return engine.fleet.send(.moved(successor.cell), at: node, into: &effects)
            }
            makeRoom(for: hello.account)
            if access.mayHaveFormerUsers { endWorkOfFormerUsers(at: now, into: &effects) }
        }
        engine.receive(message, at: node, now: now, into: &effects)
        endStep(at: now, into: &effects)
    }

    /// Takes the node of a boot for lost, because its key was revoked.
    public mutating func lose(_ bootID: BootID, at now: Moment, into effects: inout Effects) {
        engine.lose(bootID, at: now, into: &effects)
        endStep(at: now, into: &effects)
    }

    /// Handles one input and appends its effects.
    public mutating func step(_ input: Input, at now: Moment, into effects: inout Effects) {
        switch input {
        case .client(let connection, let request, let digest):
            return receive(request, from: connection, digest: digest, at: now, into: &effects)
        case .ticketRequest(let connection, let correlation, let digest, let fresh, let isUnattended):
            engine.meter.countRequest()
            let waiter = Waiter(connection: connection, correlation: correlation)
            access.giveTicket(
                fresh, to: digest, isUnattended: isUnattended, waiter: waiter, in: engine.directory, at: now,
                into: &effects)
        case .node(let connection, let message):
            return receive(message, from: connection, at: now, into: &effects)
        case .telemetry(let telemetry):
            engine.meter.countTelemetry()
            engine.receive(telemetry, at: now, into: &effects)
        case .subscribed(let id): engine.subscribed(id)
        case .passwordChecked(let ticket, let didMatch, let token, let digest, let hash):
            let result = PasswordResult(didMatch: didMatch, token: token, digest: digest, hash: hash)
            // The log-in may open the first session of an account.
            makeRoom(for: nil)
            access.finishLogin(ticket, result, in: &engine.directory, at: now, into: &effects)
        case .passwordHashed(let ticket, let hash):
            access.finishUserChange(ticket, hash: hash, at: now, into: &effects)
        case .stored(let took, let segment): engine.stored(took: took, segment: segment, at: now.monotonic)
        case .replayed(let replay, let unreadUpTo):
            engine.restore(replay, unreadUpTo: unreadUpTo, at: now, into: &effects)
        case .storage(let isFull):
            access.isStorageFull = isFull
            engine.setStorageFull(isFull, at: now, into: &effects)
        case .cell(let input): receive(input, at: now, into: &effects)
        case .turn(let lastTook): turn(lastTook: lastTook, at: now, into: &effects)
        }
        endStep(at: now, into: &effects)
    }

    @inline(__always)
    private mutating func endStep(at now: Moment, into effects: inout Effects) {
        engine.endStep(at: now, into: &effects)
        if engine.hasNotices { deliverNotices(at: now, into: &effects) }
    }

    private mutating func turn(lastTook: Duration, at now: Moment, into effects: inout Effects) {
        if access.mayHaveFormerUsers { endWorkOfFormerUsers(at: now, into: &effects) }
        let ticks = engine.turn(lastTook: lastTook, at: now, into: &effects)
        access.turn(at: now, into: &effects)
        moves?.turn(in: &access, &engine, at: now.monotonic, into: &effects)
        if ticks.hasSecond { services.rosters.expireStaged(at: now.monotonic) }
        // The end of a command may start the next command of its queue.
        if engine.hasNotices { deliverNotices(at: now, into: &effects) }
        submitCommands(at: now, into: &effects)
        if ticks.hasBeat || access.hasEndedSessions {
            access.sweepStreams(in: engine.directory, epoch: engine.epoch, at: now, into: &effects)
        }
        engine.endTurn(at: now, into: &effects)
    }

    /// Frees slots of unused accounts if all slots are in use and the account may be new; nil for an unknown
    /// account.
    mutating func makeRoom(for account: AccountID?) {
        guard !engine.directory.hasRoomForAccount else { return }
        if let account, engine.directory.account(account) != nil { return }
        let (access, services) = (access, services)
        let freed = engine.freeAccounts(retaining: access.accounts(in: engine.directory)) {
            access.streamTickets.has($0) || services.hasData(of: $0)
        }
        for account in freed { self.services.logbook.discard(account) }
    }

    /// The reply to bytes that are not a valid request.
    public static func reply(to error: WireError) -> ClientReply {
        ClientReply(correlation: error.correlation, body: .refusal(.invalid(error.description)))
    }

    /// Whether a request changes nothing, so that it is useless if its client cannot receive the reply.
    public static func isReadOnly(_ body: ClientRequest.Body) -> Bool {
        guard case .service(let message) = body else { return body.traits.isReadOnly }
        if message.service == CellRequest.service {
            return (try? CellRequest(wireBytes: message.content))?.traits.isReadOnly ?? true
        }
        return AccountServices.isReadOnly(message)
    }

    /// The account of a session or API key; nil for an unknown token.
    public func account(of token: TokenDigest) -> AccountID? { access.sessions.account(of: token) }

    /// The account of a user; nil for an unknown address.
    public func account(of email: Email) -> AccountID? { access.users[email]?.session.account }

    /// The number of an account's devices that are online; 0 for an unknown account.
    package func onlineCount(of account: AccountID, at now: MonotonicTime) -> Int {
        engine.directory.account(account).map { Int(engine.status(of: $0, at: now).online) } ?? 0
    }

    /// Whether only heartbeats and leases have times, which a late turn makes up for: no request is open, and
    /// neither a command queue nor a log-in waits.
    package var mayBeLate: Bool {
        engine.requests.open.count == 0 && services.commandQueues.nextDue == nil && access.nextDue == .never
    }

    /// Whether the controller is one of several cells.
    public var isCell: Bool { moves != nil }

    /// The open requests as journal entries from which they can be recovered, and every horizon.
    public var openEntries: [JournalEntry] { engine.openEntries }

    /// The journals from an earlier time that nodes have revealed since the last call.
    public mutating func drainHistoryLosses() -> [HistoryLoss] { engine.history.drainLosses() }

    /// Nodes with two processes, found since the last call; most calls find none.
    public mutating func drainConflicts() -> [NodeConflict] {
        guard !engine.fleet.conflicts.isEmpty else { return [] }
        defer { engine.fleet.conflicts = [] }
        return engine.fleet.conflicts
    }

    /// Refusals since the last call that the network alone does not explain; most calls find none.
    public mutating func drainSuspicions() -> [(refusal: NodeRefusal, count: Int)] {
        engine.meter.drainSuspicions()
    }
}

/// The connection of a client or a node on the bus. The shell derives it from a routing ID and maps it back;
/// the machine only compares it.
public struct ConnectionID: Hashable, Sendable {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// Creates a connection ID from its bytes.
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
