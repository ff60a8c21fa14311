import DequeModule
import FleetProtocol
import FleetTime

/// An undetermined request, captured when it ended.
///
/// The same step may remove its device, which can reduce the account's share of storage.
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
/// A stepping machine with no clock, socket, disk or randomness of its own. It has no access to users and
/// account services: callers are authorized beforehand, and events for services leave as a ``Notice``.
struct RequestEngine: Sendable {
    typealias Effects = Controller.Effects

    /// An event that account services react to.
    enum Notice: Sendable {
        /// A node is lost with all its devices.
        case nodeLost(NodeRecord)
        /// A device was removed.
        case deviceRemoved(DeviceID, AccountIndex)
        /// The outcome of a request will never be known.
        case undetermined(UndeterminedRequest)
        /// A service's request has ended.
        case ended(RequestKey, Outcome)
    }

    /// The purpose of a timer.
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

    /// Periodic events of a turn that the router reacts to.
    struct Ticks: Sendable {
        /// A beat was published to each account.
        var hasBeat = false
        /// A second has passed.
        var hasSecond = false
    }

    /// The delay of a turn beyond which it counts as an absence of the controller, which extends leases.
    static let punctuality: Duration = .milliseconds(50)

    let epoch: Epoch
    let startedAt: MonotonicTime
    let configuration: ControllerConfiguration
    var directory: Directory
    var orders = OrderTable()
    /// When a device was last retired; nil once the device lists are stored.
    var lastRetirement: MonotonicTime?
    var requests = RequestTable()
    var ended: EndedRequests
    /// Requests queued behind the one in flight, by device; devices with empty queues have no entry.
    var lanes: [DeviceSlot: Deque<RequestSlot>] = [:]
    var budget = RetryBudget()
    var timers = Timers<Event>()
    /// The number of pulls so far.
    var pulls: UInt64 = 0
    /// The reported states of this step, published together at its end.
    var gathered = GatheredReports()
    /// Devices in the current message that must begin new incarnations; the array is reused.
    var doubted: [SeenDevice] = []
    /// The slots of the devices in a telemetry message; the array is reused.
    var found: [DeviceSlot?] = []
    /// Accounts with a new stream subscription since the last turn.
    private var newlyWatched: Set<AccountIndex> = []
    var generator: SeededGenerator
    /// Requests whose dispatch was journalled and is not known to be stored.
    var justDispatched: [RequestSlot] = []
    /// Whether the disk is full: nothing is admitted.
    private(set) var isStorageFull = false
    var meter = Meter()
    /// The notices of this step.
    private var notices: [Notice] = []

    /// An engine that has just started with the accounts of a directory.
    ///
    /// - Parameters:
    ///   - replay: The content of the journal.
    ///   - lists: The device list of each node; the engine awaits the devices for which it has room.
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

    /// Records a new subscription to the stream of an account.
    mutating func subscribed(_ id: AccountID) {
        if let account = directory.account(id) { newlyWatched.insert(account) }
    }

    /// Records that the changes since the last call are stored.
    mutating func stored(took: Duration, segment: Int?, at now: MonotonicTime) {
        noteKept(took, at: now)
        if let segment { ended.began(segment: segment) }
    }

    /// Sets whether the disk is full; once it has room, commands in flight are sent again.
    mutating func setStorageFull(_ isFull: Bool, at now: Moment, into effects: inout Effects) {
        isStorageFull = isFull
        // Commands were dropped while the disk was full.
        if !isFull { askAgain(directory.nodes.flatMap(\.dispatched), at: now, into: &effects) }
    }

    /// Handles the timers that are due.
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
        // A full disk keeps outcomes in the table, so that the held batch does not grow with each turn.
        if !isStorageFull { tidyEnds(at: now.wall, into: &effects) }
    }

    /// Ends a step: publishes what devices have reported in it.
    @inline(__always)
    mutating func endStep(at now: Moment, into effects: inout Effects) {
        guard gathered.isOpen else { return }
        publishGathered(at: now, into: &effects)
        gathered.isOpen = false
    }

    /// Publishes a beat to each account with new observers, one per turn, to confirm the subscriptions.
    private mutating func welcome(at now: Moment, into effects: inout Effects) {
        guard !newlyWatched.isEmpty else { return }
        for account in newlyWatched.sorted() { publishBeat(to: account, at: now, into: &effects) }
        newlyWatched.removeAll(keepingCapacity: true)
    }

    /// Removes a few old outcomes and releases the journal segments that the remaining ones do not need.
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

    /// Extends all leases by the controller's own absence, during which it received no heartbeats.
    private mutating func forgiveAbsence(at now: MonotonicTime) {
        guard let due = timers.nextDue else { return }
        let late = due.duration(to: now)
        guard late > Self.punctuality else { return }
        for node in directory.nodes.indices {
            directory.nodes[node].lease.extend(by: late, at: now)
        }
    }

    /// Whether nodes may still announce devices that the controller does not know.
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
        effects.messages.append((directory.nodes[node].link.connection, message))
    }
}
