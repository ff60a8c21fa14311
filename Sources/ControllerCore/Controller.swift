import DequeModule
public import FleetProtocol
public import Stepping

/// Everything that a controller decides: sessions, lanes, toggles, cancels, presence, the stream.
///
/// A stepping machine: it is told what arrived and what time it is, and adds what should be done. It has no
/// clock, sockets, disk or chance of its own.
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
        case kept(took: Duration, segment: Int? = nil)
        /// Some of the ends that the journal has and that were not read at the start; up to which id more
        /// are to come, nil when these were the last.
        case recalled(JournalReplay, unreadUpTo: WallTime?)
        /// Nothing can be kept for the time being, or it can again.
        case storage(isFull: Bool)
        /// The sockets were drained: whatever is due, now. With how long the turn before took.
        case turn(lastTook: Duration)
    }

    enum Event: Sendable {
        case request(RequestSlot)
        case cancelDue(RequestSlot)
        case lease(NodeSlot)
        case repair(NodeSlot)
        case beat
        case second
        case login
        case orderDue(OrderID)
        case retirementsOver
        case sequences
        case lossToTell
    }

    /// How late a turn may be before the lateness is taken for an absence of ours: no lease pays for it.
    static let punctuality: Duration = .milliseconds(50)

    let epoch: Epoch
    let startedAt: MonotonicTime
    let configuration: ControllerConfiguration
    var directory = Directory()
    var access: AccessControl
    var services = AccountServices()
    var sequences = Sequences()
    var orders = OrderTable()
    /// When a device last left the fleet; nil once that is kept.
    var lastRetirement: MonotonicTime?
    var requests = RequestTable()
    var ended: EndedRequests
    /// Requests behind the one in flight, device by device; only of devices that have some.
    var lanes: [DeviceSlot: Deque<RequestSlot>] = [:]
    var budget = RetryBudget()
    var timers = Timers<Event>()
    /// Pulls that were begun.
    var pulls: UInt64 = 0
    /// What devices have reported in this step, to be published together.
    var gathered = GatheredReports()
    /// Devices of the message at hand that are to begin new incarnations; reused from one to the next.
    var doubted: [SeenDevice] = []
    /// Where the devices of a telemetry message are; reused from one to the next.
    var found: [DeviceSlot?] = []
    /// Accounts with a stream that was opened since the last turn.
    private var newlyWatched: Set<AccountIndex> = []
    var generator: SeededGenerator
    /// Requests whose dispatch was journalled and is not known to be kept.
    var justDispatched: [RequestSlot] = []
    /// Nothing can be kept: nothing is admitted.
    var isStorageFull = false
    /// Requests and sequences that the start ended, until the logbook and the store have that.
    var untoldLoss = Loss()
    var meter = Meter()
    /// What nodes told last of what they have counted; forgotten when another life of them begins.
    var nodeCounters: [NodeSlot: NodeCounters] = [:]
    /// When the next turn is wanted at the latest: noted after each step, as who asked the timers for it
    /// would move a machine of two kilobytes.
    public private(set) var nextDue: MonotonicTime?

    /// A controller that has just started: it knows its users, sessions and requests, and of its nodes only
    /// which devices they had.
    ///
    /// - Parameters:
    ///   - replay: What its journal says.
    ///   - lists: The devices that each node had, one list for each; it awaits what there is room for.
    public init(
        _ configuration: ControllerConfiguration, recovering replay: JournalReplay = JournalReplay(),
        awaiting lists: [NodeDevices] = [], at now: Moment
    ) {
        self.configuration = configuration
        epoch = configuration.epoch
        startedAt = now.monotonic
        ended = EndedRequests(retention: configuration.retention, planted: configuration.planted)
        generator = SeededGenerator(seed: configuration.seed)
        access = AccessControl(configuration, in: &directory, at: now)
        for kept in configuration.logbooks {
            if let account = directory.accountMade(kept.account) {
                services.logbook.restore(kept, of: account)
            }
        }
        for kept in configuration.sites {
            if let account = directory.accountMade(kept.account) { services.sites.restore(kept, of: account) }
        }
        for kept in configuration.sequences {
            if let account = directory.accountMade(kept.account) { sequences.take(kept, of: account) }
        }
        for kept in configuration.rosters {
            if let account = directory.accountMade(kept.account) {
                services.rosters.restore(kept, of: account)
            }
        }
        timers.set(.beat, at: now.monotonic.advanced(by: Limits.beatInterval))
        timers.set(.second, at: now.monotonic.advanced(by: .seconds(1)))
        expect(lists)
        recover(replay, at: now)
        resumeSequences(at: now)
        nextDue = timers.nextDue
    }

    /// Takes one input and adds what should be done.
    public mutating func step(_ input: Input, at now: Moment, into effects: inout Effects) {
        defer { nextDue = timers.nextDue }
        switch input {
        case .client(let connection, let request, let digest):
            meter.noteRequest()
            let waiter = Waiter(connection: connection, correlation: request.correlation)
            heardClient(request, from: waiter, digest: digest, at: now, into: &effects)
        case .ticketRequest(let connection, let correlation, let digest, let fresh, let isUnattended):
            meter.noteRequest()
            let waiter = Waiter(connection: connection, correlation: correlation)
            access.giveTicket(
                fresh, to: digest, isUnattended: isUnattended, waiter: waiter, in: directory, at: now,
                into: &effects)
        case .node(let connection, let message):
            meter.noteNodeMessage()
            heardNode(message, at: connection, now: now, into: &effects)
        case .telemetry(let telemetry):
            meter.noteTelemetry()
            heardTelemetry(telemetry, at: now, into: &effects)
        case .subscribed(let id):
            if let account = directory.account(id) { newlyWatched.insert(account) }
        case .passwordChecked(let ticket, let didMatch, let token, let digest, let hash):
            let verdict = PasswordVerdict(didMatch: didMatch, token: token, digest: digest, hash: hash)
            // The session may be the first of its account.
            if !directory.hasRoomForAccount { freeAccounts() }
            access.finishLogin(ticket, verdict, in: &directory, at: now, into: &effects)
            armLogins()
        case .passwordHashed(let ticket, let hash):
            access.finishUserChange(ticket, hash: hash, at: now, into: &effects)
        case .kept(let took, let segment):
            noteKept(took, at: now.monotonic)
            if let segment { ended.began(segment: segment) }
        case .recalled(let replay, let unreadUpTo): recall(replay, unreadUpTo: unreadUpTo)
        case .storage(let isFull):
            (isStorageFull, access.isStorageFull) = (isFull, isFull)
            // What was to leave meanwhile has not.
            if !isFull { askAgain(directory.nodes.flatMap(\.dispatched), at: now, into: &effects) }
        case .turn(let lastTook):
            turn(lastTook: lastTook, at: now, into: &effects)
        }
        guard gathered.isOpen else { return }
        publishGathered(at: now, into: &effects)
        gathered.isOpen = false
    }

    /// Wakes for the next log-in that waits for its time.
    mutating func armLogins() {
        guard let due = access.loginDue else { return }
        timers.set(.login, at: due)
        access.loginDue = nil
    }

    /// The answer to bytes that are no request.
    public static func reply(to error: WireError) -> ClientReply {
        ClientReply(correlation: error.correlation, body: .refusal(.invalid(error.description)))
    }

    /// A beat tells a new observer that its subscription stands; one a turn, however many are new.
    private mutating func welcome(at now: Moment, into effects: inout Effects) {
        guard !newlyWatched.isEmpty else { return }
        for account in newlyWatched.sorted() { publishBeat(to: account, at: now, into: &effects) }
        newlyWatched.removeAll(keepingCapacity: true)
    }

    private mutating func turn(lastTook: Duration, at now: Moment, into effects: inout Effects) {
        meter.noteTurn(took: lastTook)
        forgiveAbsence(at: now.monotonic)
        while let event = timers.popDue(at: now.monotonic) {
            switch event {
            case .request(let slot):
                if requests.isLive(slot) { requestDue(slot, at: now, into: &effects) }
            case .cancelDue(let slot):
                if requests.isLive(slot) { cancelWaitersDue(slot, at: now, into: &effects) }
            case .lease(let node): leaseDue(node, at: now, into: &effects)
            case .repair(let node): repairDue(node, at: now, into: &effects)
            case .login:
                access.startLogins(at: now, into: &effects)
                armLogins()
            case .orderDue(let order): orderDue(order, into: &effects)
            case .retirementsOver: retirementsOver(at: now.monotonic, into: &effects)
            case .sequences: sequences.goOn(at: now.monotonic)
            case .lossToTell: tellLoss(at: now, into: &effects)
            case .beat:
                access.sweepStreams(in: directory, epoch: epoch, at: now, into: &effects)
                for account in directory.accounts.indices where !directory.accounts[account].isFree {
                    publishBeat(to: AccountIndex(account), at: now, into: &effects)
                }
                timers.set(.beat, at: now.monotonic.advanced(by: Limits.beatInterval))
            case .second:
                meter.endSecond()
                services.rosters.expireStaged(at: now.monotonic)
                ended.age(to: now)
                timers.set(.second, at: now.monotonic.advanced(by: .seconds(1)))
            }
        }
        if sequences.hasWork { letInCommands(at: now, into: &effects) }
        if access.hasEndedSessions {
            access.sweepStreams(in: directory, epoch: epoch, at: now, into: &effects)
        }
        welcome(at: now, into: &effects)
        // While nothing can be kept, what is known stays, and the waiting batch does not grow with each turn.
        if !isStorageFull { tidyEnds(at: now.wall, into: &effects) }
    }

    /// Forgets a few ends that are old enough, and lets segments of the journal go that are not needed for
    /// the others.
    private mutating func tidyEnds(at now: WallTime, into effects: inout Effects) {
        for (account, horizon) in ended.prune(at: now) {
            effects.store(.request(.horizonRaised(horizon, of: directory.accounts[Int(account)].id)))
        }
        for entry in ended.carryForward() {
            let account = directory.accounts[Int(entry.account)].id
            effects.store(.request(.ended(account, entry.report, content: entry.content, at: entry.endedAt)))
        }
        if let first = ended.firstNeededSegment() {
            effects.store(.request(.segmentsForgotten(before: first)))
        }
    }

    /// A controller that was frozen has not listened: what it missed is held against nobody.
    private mutating func forgiveAbsence(at now: MonotonicTime) {
        guard let due = timers.nextDue else { return }
        let late = due.duration(to: now)
        guard late > Self.punctuality else { return }
        for node in directory.nodes.indices {
            let heardAt = directory.nodes[node].lastHeardAt.advanced(by: late)
            directory.nodes[node].lastHeardAt = min(heardAt, now)
        }
    }
}
