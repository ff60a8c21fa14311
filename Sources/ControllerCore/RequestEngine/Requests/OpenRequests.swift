import DequeModule
import FleetProtocol

/// The open requests: in a table, in the lanes of their devices, and in the lists of the nodes that have
/// their commands.
struct OpenRequests: Sendable {
    private var table = RequestTable()
    /// Requests queued behind the one in flight, by device; devices with empty lanes have no entry.
    private var lanes: [DeviceSlot: Deque<RequestSlot>] = [:]
    private(set) var dispatches = Dispatches()
    private var counts: [Int] = []

    var count: Int { table.count }

    func count(of account: AccountIndex) -> Int { Int(account) < counts.count ? counts[Int(account)] : 0 }

    @inline(__always)
    func slot(of key: RequestKey) -> RequestSlot? { table.slot(of: key) }

    @inline(__always)
    func isLive(_ slot: RequestSlot) -> Bool { table.isLive(slot) }

    @inline(__always)
    subscript(slot: RequestSlot) -> LiveRequest {
        _read { yield table[slot] }
    }

    @inline(__always)
    mutating func update<Result>(_ slot: RequestSlot, _ change: (inout LiveRequest) -> Result) -> Result {
        table.update(slot, change)
    }

    /// The time from which a dispatch is too late, read without a copy of the request.
    @inline(__always)
    func startDue(of slot: RequestSlot) -> MonotonicTime {
        let (deadline, runningTime) = (table[slot].deadline, table[slot].runningTime)
        return runningTime == .zero ? deadline : deadline.advanced(by: .zero - runningTime)
    }

    @inline(__always)
    mutating func insert(_ request: consuming LiveRequest) -> RequestSlot {
        let account = Int(request.key.account)
        while counts.count <= account { counts.append(0) }
        counts[account] += 1
        return table.insert(consume request)
    }

    @inline(__always)
    mutating func end(_ slot: RequestSlot) {
        let (device, account) = (table[slot].device, table[slot].key.account)
        if let place = table[slot].state.place { remove(at: place) } else { removeFromLane(slot, of: device) }
        table.end(slot)
        counts[Int(account)] -= 1
    }

    // MARK: Lanes

    @inline(__always)
    func isLaneEmpty(of device: DeviceSlot) -> Bool { lanes[device] == nil }

    func lane(of device: DeviceSlot) -> [RequestSlot] { lanes[device].map { Array($0) } ?? [] }

    @inline(__always)
    func laneCount(of device: DeviceSlot) -> Int { lanes[device]?.count ?? 0 }

    @inline(__always)
    func first(inLaneOf device: DeviceSlot) -> RequestSlot? { lanes[device]?.first }

    func devicesWithLanes(at node: NodeSlot, in directory: borrowing Directory) -> [DeviceSlot] {
        var devices: [DeviceSlot] = []
        for device in lanes.keys where directory.devices[device].node == node { devices.append(device) }
        return devices.sorted()
    }

    mutating func enqueue(_ slot: RequestSlot) {
        table.update(slot) { $0.state.enqueue() }
        lanes[table[slot].device, default: []].append(slot)
    }

    mutating func removeFirst(ofLaneOf device: DeviceSlot) {
        lanes[device]?.removeFirst()
        if lanes[device]?.isEmpty == true { lanes[device] = nil }
    }

    private mutating func removeFromLane(_ slot: RequestSlot, of device: DeviceSlot) {
        lanes[device]?.removeAll { $0 == slot }
        if lanes[device]?.isEmpty == true { lanes[device] = nil }
    }

    // MARK: Dispatches

    @inline(__always)
    func dispatch(of slot: RequestSlot) -> Dispatch? { table[slot].state.place.map { dispatches[$0] } }

    @inline(__always)
    func report(
        _ outcome: Outcome, of slot: RequestSlot, at now: MonotonicTime, answer: LiveRequest.Answer? = nil
    ) -> OutcomeReport {
        guard let place = table[slot].state.place else {
            return table[slot].report(outcome, of: nil, at: now, answer: answer)
        }
        return table[slot].report(outcome, of: dispatches[place].sent, at: now, answer: answer)
    }

    @inline(__always)
    mutating func updateDispatch(of slot: RequestSlot, _ change: (inout Dispatch) -> Void) {
        if let place = table[slot].state.place { change(&dispatches[place]) }
    }

    /// All requests, those that were dispatched first.
    var all: [RequestSlot] { dispatches.slots + lanes.sorted { $0.key < $1.key }.flatMap(\.value) }

    func nodesInUse(in directory: borrowing Directory) -> Set<NodeSlot> {
        var nodes = dispatches.nodes
        for device in lanes.keys { nodes.insert(directory.devices[device].node) }
        return nodes
    }

    @inline(__always)
    mutating func dispatch(_ dispatch: consuming Dispatch, to node: NodeSlot) {
        let slot = dispatch.slot
        if let former = table[slot].state.place { remove(at: former) }
        let place = dispatches.append(dispatch, at: node)
        table.update(slot) { $0.state.dispatch(at: place) }
    }

    mutating func move(_ slot: RequestSlot, to node: NodeSlot) {
        if let dispatch = dispatch(of: slot) { self.dispatch(dispatch, to: node) }
    }

    @inline(__always)
    private mutating func remove(at place: DispatchPlace) {
        if let moved = dispatches.remove(at: place) {
            table.update(moved) { $0.state.dispatch(at: place) }
        }
    }

    /// Returns the next message for the device of a request, and its node; nil for a request without a
    /// dispatch.
    @inline(__always)
    mutating func nextMessage(
        of slot: RequestSlot, at now: MonotonicTime, isNeverLate: Bool
    ) -> (node: NodeSlot, body: ControllerMessage.Body)? {
        guard let place = table[slot].state.place else { return nil }
        return (
            place.node,
            table.update(slot) { $0.nextMessage(&dispatches[place], at: now, isNeverLate: isNeverLate) }
        )
    }
}

/// A request's identity: its ID is unique only within its account.
struct RequestKey: Hashable, Sendable {
    let account: AccountIndex
    let id: RequestID
}

struct LiveRequest: Sendable {
    /// What the report of an outcome says about the device's result.
    struct Answer {
        let versionBefore: Version
        let deviceUs: UInt64
    }

    let key: RequestKey
    let content: RequestContent
    let device: DeviceSlot
    let user: Email
    let arrivedAt: MonotonicTime
    let deadline: MonotonicTime
    let wallArrival: WallTime
    let wallDeadline: WallTime
    var waiters: Waiters
    var state = RequestState.admitted
    /// The number of commands sent, resends included.
    var attempts: UInt32 = 0
    /// How long the device is busy with the command, which must begin that long before the deadline.
    var runningTime: Duration = .zero
    var reportsEnd = false
    /// When its timer fires; a timer that fires at another time is outdated.
    var timerDue = MonotonicTime.never

    /// The time from which a dispatch is too late, because the device could not finish by the deadline.
    @inline(__always)
    var startDue: MonotonicTime { deadline.advanced(by: .zero - runningTime) }

    /// Whether its command may still be sent: it is not cancelled, and its deadline is ahead.
    func mayStillRun(at now: MonotonicTime) -> Bool {
        !state.isCancelling && !state.isOverdue && now < deadline
    }

    @inline(__always)
    func record(of account: AccountID) -> RequestRecord {
        RequestRecord(
            account: account, requestID: key.id, content: content, user: user, arrivedAt: wallArrival,
            deadline: wallDeadline)
    }

    /// Returns the next message for the device: the command while it may run, otherwise an abort.
    @inline(__always)
    mutating func nextMessage(
        _ dispatch: inout Dispatch, at now: MonotonicTime, isNeverLate: Bool
    ) -> ControllerMessage.Body {
        let remaining = now.duration(to: deadline)
        let isLate = !mayStillRun(at: now) || remaining < .milliseconds(1)
        guard !isLate || (isNeverLate && !state.isCancelling) else { return .abort(dispatch.identity) }
        attempts += 1
        dispatch.lastSentAt = now
        let command = DeviceCommand(
            identity: dispatch.identity, change: dispatch.change, base: dispatch.base,
            timeToLive: max(remaining, .milliseconds(1)), isCorrection: content.kind.isCorrection,
            takesMs: UInt32(clamping: runningTime.wholeMilliseconds))
        guard let setting = content.kind.setting else { return .command(command) }
        return .configure(command, setting)
    }

    /// Returns the report of an outcome, which may be `unknown`.
    @inline(__always)
    func report(
        _ outcome: Outcome, of dispatch: Dispatch.Sent?, at now: MonotonicTime, answer: Answer? = nil
    ) -> OutcomeReport {
        var timing = OutcomeReport.Timing(totalUs: arrivedAt.microseconds(to: now))
        timing.journalUs = dispatch?.journalTook.wholeMicroseconds ?? 0
        timing.queueUs = arrivedAt.microseconds(to: dispatch?.dispatchedAt ?? now)
        if let dispatch, let answer {
            let roundTripUs = dispatch.lastSentAt.microseconds(to: now)
            timing.deviceUs = answer.deviceUs
            timing.wireUs = roundTripUs - min(roundTripUs, answer.deviceUs)
        }
        return OutcomeReport(
            requestID: key.id, device: content.device, outcome: outcome, user: user,
            versionBefore: answer?.versionBefore ?? dispatch?.versionBefore ?? .zero, attempts: attempts,
            command: content.kind.kind, timing: timing)
    }
}
