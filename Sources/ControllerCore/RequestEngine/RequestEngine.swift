import FleetProtocol

/// The coordinator of three machines: ``Fleet`` has accounts, nodes, devices and the stream of updates,
/// ``Requests`` the open and the ended requests, ``Orders`` the orders of operators to nodes.
///
/// A stepping machine with no clock, socket, disk or randomness of its own. It has no access to users and
/// account services: callers are authorized beforehand, and events for services leave as a ``Notice``.
struct RequestEngine: Sendable {
    typealias Effects = Controller.Effects

    /// Periodic events of a turn that the router reacts to.
    struct Ticks: Sendable {
        /// A beat was published to each account.
        var hasBeat = false
        var hasSecond = false
    }

    /// The delay of a turn beyond which it counts as an absence of the controller, which extends leases.
    private static let punctuality: Duration = .milliseconds(50)

    var fleet: Fleet
    var requests: Requests
    var orders: Orders
    var history = HistoryComparison()
    /// The slots of the devices in a telemetry message; the array is reused.
    var found: [DeviceSlot?] = []

    /// Creates an engine that has just started, and awaits the devices of the lists for which it has room.
    init(
        _ configuration: ControllerConfiguration, with directory: Directory, recovering replay: JournalReplay,
        awaiting lists: [NodeDevices], at now: Moment
    ) {
        fleet = Fleet(
            directory, epoch: configuration.epoch, planted: configuration.planted, at: now.monotonic)
        requests = Requests(configuration)
        orders = Orders(seed: configuration.seed)
        fleet.timers.set(.beat, at: now.monotonic.advanced(by: Limits.beatInterval))
        fleet.timers.set(.second, at: now.monotonic.advanced(by: .seconds(1)))
        fleet.awaitDevices(of: lists)
        requests.recover(replay, at: now, in: &fleet)
    }

    // MARK: Storage

    /// Records that the changes since the last call are stored.
    mutating func stored(took: Duration, segment: Int?, at now: MonotonicTime) {
        requests.stored(took: took, at: now)
        if let segment { requests.ended.began(segment: segment) }
    }

    /// Restores outcomes that were not read at the start; more follow, with IDs up to `unreadUpTo`.
    mutating func restore(
        _ replay: JournalReplay, unreadUpTo: WallTime?, at now: Moment, into effects: inout Effects
    ) {
        requests.restore(replay, unreadUpTo: unreadUpTo, in: &fleet.directory)
        if unreadUpTo == nil { compareUnread(at: now, into: &effects) }
    }

    mutating func setStorageFull(_ isFull: Bool, at now: Moment, into effects: inout Effects) {
        requests.setStorageFull(isFull, at: now, in: &fleet, into: &effects)
    }

    // MARK: Turns

    mutating func turn(lastTook: Duration, at now: Moment, into effects: inout Effects) -> Ticks {
        fleet.meter.recordTurn(took: lastTook)
        extendLeases(at: now.monotonic)
        var ticks = Ticks()
        while let event = fleet.timers.popDue(at: now.monotonic) {
            switch event {
            case .request(let slot): requests.timerDue(slot, at: now, in: &fleet, into: &effects)
            case .cancelDue(let slot): requests.cancelDue(slot, at: now, into: &effects)
            case .lease(let node): fleet.leaseDue(node, at: now, into: &effects)
            case .boots(let node): fleet.bootsDue(node, at: now.monotonic, into: &effects)
            case .repair(let node): fleet.repairDue(node, at: now, into: &effects)
            case .orderDue(let order): orders.due(order, into: &effects)
            case .retirementsOver: orders.retirementsDue(at: now.monotonic, in: &fleet, into: &effects)
            case .beat:
                ticks.hasBeat = true
                fleet.stream.publishBeats(to: fleet.directory.accounts, at: now.wall, into: &effects)
                fleet.timers.set(.beat, at: now.monotonic.advanced(by: Limits.beatInterval))
            case .second:
                ticks.hasSecond = true
                fleet.meter.endSecond()
                requests.ended.age(to: now)
                fleet.timers.set(.second, at: now.monotonic.advanced(by: .seconds(1)))
            }
        }
        return ticks
    }

    /// Extends all leases by the controller's own absence, during which it received no heartbeats.
    private mutating func extendLeases(at now: MonotonicTime) {
        guard let due = fleet.timers.nextDue else { return }
        let late = due.duration(to: now)
        if late > Self.punctuality { fleet.directory.extendLeases(by: late, at: now) }
    }

    /// Ends a turn: welcomes new observers, and removes outcomes that are old enough.
    mutating func endTurn(at now: Moment, into effects: inout Effects) {
        fleet.stream.welcome(in: fleet.directory.accounts, at: now.wall, into: &effects)
        requests.removeOldOutcomes(at: now.wall, in: fleet.directory, into: &effects)
    }

    /// Ends a step: publishes what devices have reported in it.
    @inline(__always)
    mutating func endStep(at now: Moment, into effects: inout Effects) {
        fleet.stream.endStep(in: &fleet.directory.accounts, at: now.wall, into: &effects)
    }

    // MARK: Orders and accounts

    mutating func carryOut(
        _ order: NodeOrder, of account: AccountIndex, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        guard case .retire(let devices) = order else {
            return orders.carryOut(order, of: account, waiter: waiter, at: now, in: &fleet, into: &effects)
        }
        retire(devices, account: account, waiter: waiter, at: now, into: &effects)
    }

    mutating func freeAccounts(
        retaining users: Set<AccountIndex>, hasData: (AccountIndex) -> Bool
    ) -> [AccountIndex] {
        let freed = fleet.freeAccounts(
            retaining: users, nodesInUse: { requests.open.nodesInUse(in: $0) },
            hasData: { requests.open.count(of: $0) > 0 || requests.ended.has($0) || hasData($0) })
        for account in freed { requests.ended.remove(account) }
        return freed
    }
}

enum Notice: Sendable {
    case nodeLost(NodeRecord)
    case deviceRemoved(DeviceID, AccountIndex)
    case undetermined(UndeterminedRequest)
    /// The journal is that of an earlier time: requests of an account with IDs up to that time may be lost.
    case historyLost(AccountIndex, upTo: WallTime)
    case ended(RequestKey, Outcome)
}

/// An undetermined request, captured when it ended. The same step may remove its device, which can reduce the
/// account's share of storage.
struct UndeterminedRequest: Sendable {
    let key: RequestKey
    let user: Email
    let device: DeviceID
    let deviceName: String
    let reason: UndeterminedReason
    /// The bytes that the account's logbook may have.
    let logbookShare: Int
}

enum EngineTimer: Sendable {
    case request(RequestSlot)
    case cancelDue(RequestSlot)
    case lease(NodeSlot)
    case repair(NodeSlot)
    case boots(NodeSlot)
    case beat
    case second
    case orderDue(OrderID)
    case retirementsOver
}
