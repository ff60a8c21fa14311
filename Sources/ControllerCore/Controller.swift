public import FleetProtocol
public import Stepping

/// The rules of a controller: a router above three machines.
///
/// ``AccessControl`` says who a caller is, ``RequestEngine`` carries out requests, and ``AccountServices``
/// have the texts, sites, rosters and command queues of accounts. Each has state of its own. Like them the
/// router is a stepping machine: it takes an input and the time, and adds effects.
public struct Controller: Sendable {
    /// What a controller is told.
    public enum Input: Sendable {
        /// A client asked for anything but a ticket; the digest is its token's, nil without one.
        case client(ConnectionID, ClientRequest, digest: TokenDigest?)
        /// A client asked for a ticket to the stream; the fresh token becomes the ticket.
        case ticketRequest(
            ConnectionID, correlation: UInt64, digest: TokenDigest?, fresh: FreshToken,
            isUnattended: Bool = false)
        /// A node said something on `devices`.
        case node(ConnectionID, NodeMessage)
        /// A node published something.
        case telemetry(Telemetry)
        /// A stream of an account was opened.
        case subscribed(AccountID)
        /// The worker that hashes is done; the token is fresh, and the hash that of the password where there
        /// was none to compare it with. Both are used only if somebody gets in by them.
        case passwordChecked(
            ticket: UInt64, didMatch: Bool, token: Token, digest: TokenDigest, hash: String? = nil)
        /// The worker that hashes has hashed the password of a user who is added or gets another one.
        case passwordHashed(ticket: UInt64, hash: String)
        /// The entries since the last time are committed, which took that long; and the journal's newest
        /// segment.
        case stored(took: Duration, segment: Int? = nil)
        /// Some of the ends that the journal has and that were not read at the start; up to which id more
        /// are to come, nil when these were the last.
        case recalled(JournalReplay, unreadUpTo: WallTime?)
        /// Nothing can be kept for the time being, or it can again.
        case storage(isFull: Bool)
        /// The sockets were drained: whatever is due, now. With how long the turn before took.
        case turn(lastTook: Duration)
    }

    let configuration: ControllerConfiguration
    var access: AccessControl
    var engine: RequestEngine
    var services = AccountServices()
    /// When the next turn is wanted at the latest: stored after each step, because asking the timers for it
    /// would copy a machine of two kilobytes.
    public private(set) var nextDue: MonotonicTime?

    /// A controller that has just started: it knows its users, sessions and requests, and of its nodes only
    /// which devices they had.
    ///
    /// - Parameters:
    ///   - replay: What its journal says.
    ///   - lists: The devices that each node had, one list for each; it awaits those for which there is room.
    public init(
        _ configuration: ControllerConfiguration, recovering replay: JournalReplay = JournalReplay(),
        awaiting lists: [NodeDevices] = [], at now: Moment
    ) {
        self.configuration = configuration
        var directory = Directory()
        access = AccessControl(configuration, in: &directory, at: now)
        services.restore(configuration, in: &directory)
        engine = RequestEngine(
            configuration, with: directory, recovering: replay, awaiting: lists, at: now)
        resumeCommandQueues(at: now)
        noteDue()
    }

    /// Takes one input and adds what should be done.
    public mutating func step(_ input: Input, at now: Moment, into effects: inout Effects) {
        switch input {
        case .client(let connection, let request, let digest):
            engine.meter.noteRequest()
            let waiter = Waiter(connection: connection, correlation: request.correlation)
            handle(request, from: waiter, digest: digest, at: now, into: &effects)
        case .ticketRequest(let connection, let correlation, let digest, let fresh, let isUnattended):
            engine.meter.noteRequest()
            let waiter = Waiter(connection: connection, correlation: correlation)
            access.giveTicket(
                fresh, to: digest, isUnattended: isUnattended, waiter: waiter, in: engine.directory, at: now,
                into: &effects)
        case .node(let connection, let message):
            engine.meter.noteNodeMessage()
            if case .hello(_, let account, _, _, _) = message.body { makeRoom(for: account) }
            engine.heardNode(message, at: connection, now: now, into: &effects)
        case .telemetry(let telemetry):
            engine.meter.noteTelemetry()
            engine.heardTelemetry(telemetry, at: now, into: &effects)
        case .subscribed(let id): engine.subscribed(id)
        case .passwordChecked(let ticket, let didMatch, let token, let digest, let hash):
            let verdict = PasswordVerdict(didMatch: didMatch, token: token, digest: digest, hash: hash)
            // The session may be the first of its account.
            makeRoom(for: nil)
            access.finishLogin(ticket, verdict, in: &engine.directory, at: now, into: &effects)
        case .passwordHashed(let ticket, let hash):
            access.finishUserChange(ticket, hash: hash, at: now, into: &effects)
        case .stored(let took, let segment): engine.stored(took: took, segment: segment, at: now.monotonic)
        case .recalled(let replay, let unreadUpTo): engine.recall(replay, unreadUpTo: unreadUpTo)
        case .storage(let isFull):
            access.isStorageFull = isFull
            engine.setStorageFull(isFull, at: now, into: &effects)
        case .turn(let lastTook): turn(lastTook: lastTook, at: now, into: &effects)
        }
        engine.endStep(at: now, into: &effects)
        if engine.hasNotices { deliverNotices(at: now, into: &effects) }
        noteDue()
    }

    private mutating func turn(lastTook: Duration, at now: Moment, into effects: inout Effects) {
        let ticks = engine.turn(lastTook: lastTook, at: now, into: &effects)
        if let due = access.loginDue, due <= now.monotonic {
            access.loginDue = nil
            access.startLogins(at: now, into: &effects)
        }
        if ticks.hasSecond { services.rosters.expireStaged(at: now.monotonic) }
        // The ends of commands may let others begin.
        if engine.hasNotices { deliverNotices(at: now, into: &effects) }
        submitCommands(at: now, into: &effects)
        if ticks.hasBeat || access.hasEndedSessions {
            access.sweepStreams(in: engine.directory, epoch: engine.epoch, at: now, into: &effects)
        }
        engine.endTurn(at: now, into: &effects)
    }

    @inline(__always)
    private mutating func noteDue() {
        var due = engine.timers.nextDue
        if let login = access.loginDue { due = min(due ?? login, login) }
        if let commands = services.commandQueues.nextDue { due = min(due ?? commands, commands) }
        nextDue = due
    }

    /// Frees places of unused accounts if all are taken and an account may be new; nil: any may be.
    private mutating func makeRoom(for account: AccountID?) {
        guard !engine.directory.hasRoomForAccount else { return }
        if let account, engine.directory.account(account) != nil { return }
        let (access, services) = (access, services)
        let freed = engine.freeAccounts(keeping: access.accounts(in: engine.directory)) {
            access.streamTickets.has($0) || services.hasData(of: $0)
        }
        for account in freed { self.services.logbook.forget(account) }
    }

    /// The answer to bytes that are no request.
    public static func reply(to error: WireError) -> ClientReply {
        ClientReply(correlation: error.correlation, body: .refusal(.invalid(error.description)))
    }

    /// Every request that has not ended, as entries from which it would be resumed, and every horizon.
    public var openEntries: [JournalEntry] { engine.openEntries }

    /// Refusals since the last call that the network alone does not explain; most calls find none.
    public mutating func takeSuspicions() -> [(refusal: NodeRefusal, count: Int)] {
        engine.meter.takeSuspicions()
    }
}

/// One connection of a client or a node, as the bus tells them apart.
///
/// The shell makes it from a routing id and finds the way back; the machine only compares.
public struct ConnectionID: Hashable, Sendable {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// The connection of those bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
