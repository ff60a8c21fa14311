import DequeModule
import FleetProtocol
import Stepping

/// A request whose outcome will never be known, as it was when it ended: its device may be removed in the
/// same step, and with it what the account may store.
struct UndeterminedRequest: Sendable {
    let key: RequestKey
    let actor: Email
    let device: DeviceID
    let deviceName: String
    let reason: UndeterminedReason
    /// The bytes that the account's logbook may have.
    let logbookShare: Int
}

/// Requests, their lanes and outcomes, nodes and devices, presence and the stream of updates.
///
/// A stepping machine with no clock, socket, disk or randomness of its own. It knows nothing of users and of
/// account services: who may do what is decided before, and what services need to know leaves as a
/// ``Notice``.
struct RequestEngine: Sendable {
    typealias Effects = Controller.Effects

    /// Something that services need to know.
    enum Notice: Sendable {
        /// A node is lost with all its devices.
        case nodeLost(NodeRecord)
        /// A device was removed.
        case deviceRemoved(DeviceID, AccountIndex)
        /// The outcome of a request will never be known.
        case undetermined(UndeterminedRequest)
        /// A request has ended whose end a service wants to know.
        case ended(RequestKey, Outcome)
    }

    /// What a timer is for.
    enum Event: Sendable {
        case request(RequestSlot)
        case cancelDue(RequestSlot)
        case lease(NodeSlot)
        case repair(NodeSlot)
        case beat
        case second
        case orderDue(OrderID)
        case retirementsOver
    }

    /// What happened in a turn that the router needs to know.
    struct Ticks: Sendable {
        /// A beat was published to each account.
        var hasBeat = false
        /// A second has passed.
        var hasSecond = false
    }

    /// A turn that is later than this is an absence of the controller: no lease pays for it.
    static let punctuality: Duration = .milliseconds(50)

    let epoch: Epoch
    let startedAt: MonotonicTime
    let configuration: ControllerConfiguration
    var directory: Directory
    var orders = OrderTable()
    /// When a device last left the fleet; nil once that is stored.
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
    /// Requests whose dispatch was journalled and is not known to be stored.
    var justDispatched: [RequestSlot] = []
    /// Whether the disk is full: nothing is admitted.
    private(set) var isStorageFull = false
    var meter = Meter()
    /// The latest counters of nodes; forgotten when another boot of a node begins.
    var nodeCounters: [NodeSlot: NodeCounters] = [:]
    /// What services need to know of this step.
    private var notices: [Notice] = []

    /// An engine that has just started with the accounts of a directory.
    ///
    /// - Parameters:
    ///   - replay: What the journal says.
    ///   - lists: The devices that each node had, one list for each; it awaits those for which there is room.
    init(
        _ configuration: ControllerConfiguration, with directory: Directory, recovering replay: JournalReplay,
        awaiting lists: [NodeDevices], at now: Moment
    ) {
        self.configuration = configuration
        self.directory = directory
        epoch = configuration.epoch
        startedAt = now.monotonic
        ended = EndedRequests(retention: configuration.retention, planted: configuration.planted)
        generator = SeededGenerator(seed: configuration.seed)
        timers.set(.beat, at: now.monotonic.advanced(by: Limits.beatInterval))
        timers.set(.second, at: now.monotonic.advanced(by: .seconds(1)))
        expect(lists)
        recover(replay, at: now)
    }

    /// Adds a notice.
    mutating func notify(_ notice: Notice) {
        notices.append(notice)
    }

    /// Adds the notice that the outcome of a request will never be known.
    @inline(never)
    mutating func notifyUndetermined(
        _ key: RequestKey, by actor: Email, for device: DeviceID, because reason: UndeterminedReason
    ) {
        let isOwn = directory.owner(of: device) == key.account
        let notice = UndeterminedRequest(
            key: key, actor: actor, device: device, deviceName: isOwn ? directory.name(of: device) : "",
            reason: reason, logbookShare: directory.share(of: key.account, in: .logbook))
        notices.append(.undetermined(notice))
    }

    /// Whether there are notices.
    var hasNotices: Bool { !notices.isEmpty }

    /// Removes the notices of this step.
    mutating func takeNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    /// A stream of an account was opened.
    mutating func subscribed(_ id: AccountID) {
        if let account = directory.account(id) { newlyWatched.insert(account) }
    }

    /// The changes since the last time are stored.
    mutating func stored(took: Duration, segment: Int?, at now: MonotonicTime) {
        noteKept(took, at: now)
        if let segment { ended.began(segment: segment) }
    }

    /// The disk is full, or has room again.
    mutating func setStorageFull(_ isFull: Bool, at now: Moment, into effects: inout Effects) {
        isStorageFull = isFull
        // What was to leave meanwhile has not.
        if !isFull { askAgain(directory.nodes.flatMap(\.dispatched), at: now, into: &effects) }
    }

    /// Does what is due.
    mutating func turn(lastTook: Duration, at now: Moment, into effects: inout Effects) -> Ticks {
        meter.noteTurn(took: lastTook)
        forgiveAbsence(at: now.monotonic)
        var ticks = Ticks()
        while let event = timers.popDue(at: now.monotonic) {
            switch event {
            case .request(let slot):
                if requests.isLive(slot) { requestDue(slot, at: now, into: &effects) }
            case .cancelDue(let slot):
                if requests.isLive(slot) { cancelWaitersDue(slot, at: now, into: &effects) }
            case .lease(let node): leaseDue(node, at: now, into: &effects)
            case .repair(let node): repairDue(node, at: now, into: &effects)
            case .orderDue(let order): orderDue(order, into: &effects)
            case .retirementsOver: retirementsOver(at: now.monotonic, into: &effects)
            case .beat:
                ticks.hasBeat = true
                for account in directory.accounts.indices where !directory.accounts[account].isFree {
                    publishBeat(to: AccountIndex(account), at: now, into: &effects)
                }
                timers.set(.beat, at: now.monotonic.advanced(by: Limits.beatInterval))
            case .second:
                ticks.hasSecond = true
                meter.endSecond()
                ended.age(to: now)
                timers.set(.second, at: now.monotonic.advanced(by: .seconds(1)))
            }
        }
        return ticks
    }

    /// Ends a turn: welcomes new observers, and removes outcomes that are old enough.
    mutating func endTurn(at now: Moment, into effects: inout Effects) {
        welcome(at: now, into: &effects)
        // While nothing can be stored, outcomes stay, and the waiting batch does not grow with each turn.
        if !isStorageFull { tidyEnds(at: now.wall, into: &effects) }
    }

    /// Ends a step: publishes what devices have reported in it.
    @inline(__always)
    mutating func endStep(at now: Moment, into effects: inout Effects) {
        guard gathered.isOpen else { return }
        publishGathered(at: now, into: &effects)
        gathered.isOpen = false
    }

    /// A beat tells a new observer that its subscription stands; one a turn, however many are new.
    private mutating func welcome(at now: Moment, into effects: inout Effects) {
        guard !newlyWatched.isEmpty else { return }
        for account in newlyWatched.sorted() { publishBeat(to: account, at: now, into: &effects) }
        newlyWatched.removeAll(keepingCapacity: true)
    }

    /// Removes a few outcomes that are old enough, and releases segments of the journal that are not needed
    /// for the others.
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

    /// A controller that was frozen did not receive: what it missed is held against no node.
    private mutating func forgiveAbsence(at now: MonotonicTime) {
        guard let due = timers.nextDue else { return }
        let late = due.duration(to: now)
        guard late > Self.punctuality else { return }
        for node in directory.nodes.indices {
            let heardAt = directory.nodes[node].lastHeardAt.advanced(by: late)
            directory.nodes[node].lastHeardAt = min(heardAt, now)
        }
    }

    /// Whether devices that are not known yet may still be announced.
    func isSettling(_ account: AccountIndex, at now: MonotonicTime) -> Bool {
        directory.isSettling(account, startedAt: startedAt, at: now)
    }

    // MARK: Messages

    func reply(_ body: ClientReply.Body, to waiter: Waiter, into effects: inout Effects) {
        effects.reply(body, to: waiter)
    }

    func refuse(_ refusal: Refusal, to waiter: Waiter, into effects: inout Effects) {
        effects.refuse(refusal, to: waiter)
    }

    @inline(__always)
    func send(_ body: ControllerMessage.Body, to node: NodeSlot, into effects: inout Effects) {
        let message = ControllerMessage(epoch: epoch, body: body)
        effects.messages.append((directory.nodes[node].connection, message))
    }
}
