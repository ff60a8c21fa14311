import FleetProtocol

/// The engine's picture of the fleet: accounts, nodes and devices, their presence, and the stream of updates.
/// It has no access to requests. Its methods return the events that matter to requests: that a node has
/// become reachable, or which changes a row has made.
struct Fleet: Sendable {
    typealias Effects = Controller.Effects

    let startedAt: MonotonicTime
    let planted: Planting
    var directory: Directory
    var stream: StreamPublisher
    /// The timers of the whole engine: timers of the same moment fire in the order in which they were set.
    var timers = Timers<EngineTimer>()
    var meter = Meter()
    var doubts = Doubts()
    /// Nodes with two processes, until the shell has logged them.
    var conflicts: [NodeConflict] = []
    private var pulls: UInt64 = 0
    private var notices: [Notice] = []

    init(_ directory: Directory, epoch: Epoch, planted: Planting, at now: MonotonicTime) {
        (self.directory, self.planted) = (directory, planted)
        stream = StreamPublisher(epoch: epoch)
        startedAt = now
    }

    var epoch: Epoch { stream.epoch }

    // MARK: Messages and updates

    @inline(__always)
    func send(_ body: ControllerMessage.Body, to node: NodeSlot, into effects: inout Effects) {
        send(body, at: directory.nodes[node].link.connection, into: &effects)
    }

    @inline(__always)
    func send(_ body: ControllerMessage.Body, at connection: ConnectionID, into effects: inout Effects) {
        let message = ControllerMessage(epoch: epoch, body: body)
        effects.messages.append(Effects.Message(node: connection, message: message))
    }

    /// Sends a message to all reachable nodes of an account.
    func send(_ body: ControllerMessage.Body, toNodesOf account: AccountIndex, into effects: inout Effects) {
        for node in directory.nodes.indices
        where directory.nodes[node].account == account && directory.nodes[node].isReachable {
            send(body, to: node, into: &effects)
        }
    }

    /// Asks the sender of a message to send a hello.
    func requestHello(at connection: ConnectionID, into effects: inout Effects) {
        send(.pong(helloWanted: true), at: connection, into: &effects)
    }

    @inline(__always)
    mutating func publish(
        _ body: StreamUpdate.Body, to account: AccountIndex, at now: Moment, into effects: inout Effects
    ) {
        stream.publish(body, to: account, in: &directory.accounts, at: now.wall, into: &effects)
    }

    // MARK: Notices

    var hasNotices: Bool { !notices.isEmpty }

    mutating func notify(_ notice: Notice) { notices.append(notice) }

    /// Adds the notice that the outcome of a request will never be known.
    @inline(never)
    mutating func notifyUndetermined(
        _ key: RequestKey, by user: Email, for device: DeviceID, because reason: UndeterminedReason
    ) {
        let isOwn = directory.owner(of: device) == key.account
        let notice = UndeterminedRequest(
            key: key, user: user, device: device, deviceName: isOwn ? directory.name(of: device) : "",
            reason: reason, logbookShare: directory.share(of: key.account, in: .logbook))
        notices.append(.undetermined(notice))
    }

    mutating func drainNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    // MARK: Devices that no node has named

    /// Whether nodes may still announce devices that the controller does not know.
    func isSettling(_ account: AccountIndex, at now: MonotonicTime) -> Bool {
        directory.isSettling(account, startedAt: startedAt, at: now)
    }

    /// The refusal of a device that no node has named since the start.
    func refusal(ofUnnamed id: DeviceID, account: AccountIndex, at now: MonotonicTime) -> Refusal {
        directory.refusal(ofUnnamed: id, of: account, startedAt: startedAt, at: now)
    }

    // MARK: Leases

    /// Records a message of a node; returns whether the node was not online before.
    @inline(__always)
    mutating func renewLease(of node: NodeSlot, at now: MonotonicTime) -> Bool {
        // The sockets are read one after the other: messages from before the end of a boot may arrive after
        // it.
        guard !directory.nodes[node].link.hasLeft else { return false }
        directory.nodes[node].lease.renew(at: now)
        return directory.nodes[node].lease.presence.kind != .online
    }

    /// Sets and publishes the presence of a node; returns whether it has become reachable.
    mutating func setPresence(
        of node: NodeSlot, _ kind: Presence.Kind, at now: Moment, into effects: inout Effects
    ) -> Bool {
        let wasReachable = directory.nodes[node].isReachable
        guard directory.nodes[node].lease.set(kind, at: now.wall) else { return false }
        let record = directory.nodes[node]
        let shown = SnapshotChunk.Node(index: record.index, name: record.name, presence: record.presence)
        publish(.node(shown, devices: record.devices), to: record.account, at: now, into: &effects)
        if kind == .offline(.nodeLost) { notify(.nodeLost(record)) }
        guard !wasReachable, record.isReachable else { return false }
        if let due = directory.nodes[node].lease.setTimer(at: now.monotonic) {
            timers.set(.lease(node), at: due)
        }
        // A repair that was due while the node was unreachable was not requested.
        if record.boot.changes.isOverdue { timers.set(.repair(node), at: now.monotonic) }
        return true
    }

    mutating func leaseDue(_ node: NodeSlot, at now: Moment, into effects: inout Effects) {
        let (kind, next) = directory.nodes[node].lease.check(at: now.monotonic)
        // A lease that ends makes no node reachable.
        if let kind { _ = setPresence(of: node, kind, at: now, into: &effects) }
        if let next { timers.set(.lease(node), at: next) }
    }

    // MARK: Gaps and pulls

    /// Schedules a repair if a change of a node has not arrived.
    @inline(__always)
    mutating func noticeGap(of node: NodeSlot, at now: MonotonicTime) {
        if let due = directory.nodes[node].boot.changes.notice(at: now) { timers.set(.repair(node), at: due) }
    }

    /// Asks a node for its changes at once, because a client knows a newer state than the controller.
    mutating func repairSoon(_ node: NodeSlot, at now: MonotonicTime) {
        if directory.nodes[node].boot.changes.question(at: now) { timers.set(.repair(node), at: now) }
    }

    /// Starts a pull if a gap has lasted, or requests a chunk again that has not arrived.
    mutating func repairDue(_ node: NodeSlot, at now: Moment, into effects: inout Effects) {
        guard directory.nodes[node].isReachable else { return }
        switch directory.nodes[node].boot.changes.due(at: now.monotonic) {
        case .none: break
        case .startPull: startPull(of: node, at: now, into: &effects)
        case .requestChunk: requestChunk(of: node, at: now, into: &effects)
        }
    }

    /// The lowest number of a question: a pull of no rows, whose answer shows that a boot is alive.
    static let firstQuestion: UInt64 = 1 << 63

    mutating func makePullNumber() -> UInt64 {
        pulls += 1
        // Epochs are unique, and no run of a controller starts a million pulls before a chunk arrives.
        return epoch.value << 20 | pulls & 0xf_ffff
    }

    mutating func startPull(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        directory.nodes[node].boot.changes.startPull(number: makePullNumber(), at: now.monotonic)
        requestChunk(of: node, at: now, into: &effects)
    }

    mutating func requestChunk(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        guard let request = directory.nodes[node].boot.changes.requestChunk(at: now.monotonic) else { return }
        timers.set(.repair(node), at: request.repeatAt)
        send(request.body, to: node, into: &effects)
    }
}
