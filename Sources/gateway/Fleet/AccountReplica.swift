import FleetClient
import FleetProtocol
import FleetReplica
import GatewayCore
import Synchronization
import UserText

/// The replica of one account's fleet, which follows the controller, and its listeners.
///
/// It is isolated to the thread of its client, where a change meets both its outcome and its update. What
/// reads all devices does so elsewhere, from ``contents``.
actor AccountReplica: ReplicaOwner {
    /// The state of a replica that others read without waiting for the actor.
    private struct SharedState {
        var listeners = 0
        var hasEnded = false
        var hasHadDevices = false
    }

    nonisolated let place: CellAccount
    nonisolated var account: AccountID { place.account }
    private nonisolated let sharedState = Mutex(SharedState())
    let client: FleetClient
    let clock: @Sendable () -> Moment
    private let shutdown: AsyncStream<Never>
    private let endFeed: AsyncStream<Never>.Continuation
    nonisolated let pulls = ReplicaPulls()
    /// The number of changes of what a read shows: answers with the same number are the same within a second.
    nonisolated let changes = Atomic<UInt64>(0)

    private(set) var replica: Replica
    /// The first epoch of the replica: updates of earlier ones were on their way when it began again.
    private var firstEpoch = Epoch.zero
    var feed = LiveFeed()
    var history = PodHistory()
    private var metrics = FleetMetrics()
    private var ends = RequestEnds()
    var sites = SiteRegister() { didSet { recordChange() } }
    var siteReading = SiteReading()
    /// Whether ``hasHadDevices`` is set; a copy that needs no lock.
    private var hasDevices = false
    let siteLooks: AsyncStream<Void>
    let siteFeed: AsyncStream<Void>.Continuation
    /// Requests to read the outcomes from before the replica began.
    let pastLooks: AsyncStream<Void>
    let pastFeed: AsyncStream<Void>.Continuation
    /// Whether that reading was attempted, and whether it is complete.
    var hasLookedBack = false
    var isPastKnown = false
    /// The earliest time of the next batch of changes, and the time of the next heartbeat.
    var nextFeedAt = MonotonicTime.zero
    var nextHeartbeatAt = MonotonicTime.zero
    var alarm: ReplicaTimer
    /// The credentials of the replica's requests: the last ones that the controller accepted.
    private(set) var credentials: Credentials
    private var names = KnownCredentials()
    /// Whether the controller rejects the credentials; the replica then sends no requests until a user of the
    /// account sends one.
    private(set) var isDisowned = false
    private(set) var listeners = ReplicaListeners()
    private(set) var awaited: [AwaitedContent] = []
    private var effects: [Replica.Effect] = []

    init(
        of place: CellAccount, as credentials: Credentials, client: FleetClient,
        clock: @escaping @Sendable () -> Moment, seed: UInt64, records: PodRecords
    ) {
        (self.place, self.credentials, self.client, self.clock) = (place, credentials, client, clock)
        history.records = records
        names.offer(credentials)
        alarm = ReplicaTimer(on: client.loop)
        replica = Replica(random: SeededGenerator(seed: seed))
        (shutdown, endFeed) = AsyncStream.makeStream()
        (siteLooks, siteFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (pastLooks, pastFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { client.loop.asUnownedSerialExecutor() }

    var measured: FleetMetrics.Report {
        (place, metrics, FleetMetrics.Summary(replica), listeners.count)
    }

    nonisolated var isListenedTo: Bool { sharedState.withLock { $0.listeners > 0 } }

    /// Whether the account has devices, or had some since the replica began.
    nonisolated var hasHadDevices: Bool { sharedState.withLock(\.hasHadDevices) }

    nonisolated var hasEnded: Bool { sharedState.withLock(\.hasEnded) }

    /// Requests snapshots with these credentials from now on, and the stream when those in use have ended.
    /// Also updates the sites if the last reading was more than a second ago.
    func use(_ credentials: Credentials) async {
        let wasDisowned = isDisowned
        isDisowned = false
        if credentials != self.credentials || wasDisowned {
            self.credentials = credentials
            names.offer(credentials)
            await client.offer(credentials, forStreamOf: account)
        }
        requestPast()
        await catchUpWithSites()
    }

    func read<Value: Sendable>(_ body: @Sendable (Replica) -> Value) -> Value { body(replica) }

    /// What the replica has now. While a copy is in use, the next change copies the tables.
    var contents: (replica: Replica, history: PodHistory, sites: SiteRegister) { (replica, history, sites) }

    func readPods<Value: Sendable, Failure: Error>(
        _ body: @Sendable (Replica, PodHistory) throws(Failure) -> Value
    ) throws(Failure) -> Value { try body(replica, history) }

    /// Sets what the sensors of a room report from a second of the API's clock on.
    func setRoom(of device: DeviceID, _ form: RoomForm, fromSecond second: Int64) {
        history.setRoom(of: device, form, fromSecond: second)
        recordChange()
    }

    /// Returns the history of a device as JSON for the page; nil for an unknown device.
    func past(of device: DeviceID) -> JSONObject? {
        replica.row(of: device).map { _ in PageHistory.json(of: device, in: history, ends) }
    }

    /// Waits until a condition holds for the replica, or until the timeout.
    func wait(within timeout: Duration, until isOver: @escaping @Sendable (Replica) -> Bool) async {
        await withCheckedContinuation { waiting in
            call(within: timeout, when: isOver) { waiting.resume() }
        }
    }

    /// Calls a handler when a condition holds for the replica, or after the timeout; the handler must not
    /// call the replica.
    func call(
        within timeout: Duration, when isOver: @escaping @Sendable (Replica) -> Bool,
        _ handle: @escaping @Sendable () -> Void
    ) {
        let now = clock().monotonic
        let deadline = now.advanced(by: timeout)
        guard !hasEnded, deadline > now, !isOver(replica) else { return handle() }
        awaited.append(AwaitedContent(deadline: deadline, isOver: isOver, handle: handle))
        setAlarm(at: now)
    }

    /// Ends the waits whose state has arrived, whose device was removed, or whose timeout has passed.
    func resumeWaiting(at now: MonotonicTime) {
        guard !awaited.isEmpty else { return }
        let (hasEnded, replica) = (hasEnded, replica)
        awaited.removeAll { one in
            guard hasEnded || now >= one.deadline || one.isOver(replica) else { return false }
            one.handle()
            return true
        }
    }

    /// Adds a listener for changes, at a position in the stream; nil for a new listener. Returns the initial
    /// batch, then batches of changes; the stream ends if the listener is too slow, or when newer listeners
    /// displace it.
    func listen(after position: StreamPosition?, in session: Token) -> AsyncStream<[UInt8]> {
        // Without listeners, changes are collected but not sent.
        sendChanges(at: clock().monotonic)
        let beginning = feed.beginning(after: position, replica)
        let stream = listeners.add(of: session, beginning: beginning) { number in
            Task { await self.remove(number) }
        }
        countListeners()
        if hasEnded { listeners.finish() }
        setAlarm(at: clock().monotonic)
        return stream
    }

    private func remove(_ number: UInt64) {
        listeners.remove(number)
        countListeners()
    }

    private func countListeners() { sharedState.withLock { $0.listeners = listeners.count } }

    // MARK: - What drives it

    /// Follows the account until the replica ends or the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await self.follow() }
            group.addTask { await self.followConnection(of: self.client) }
            group.addTask { await self.answerPulls(with: self.client) }
            group.addTask { await self.runTurns() }
            group.addTask { await self.followSites() }
            group.addTask { await self.followPast() }
            for await _ in shutdown {}
            group.cancelAll()
        }
    }

    /// Ends all listeners, and stops following the account.
    func end() {
        sharedState.withLock { $0.hasEnded = true }
        endFeed.finish()
        resumeWaiting(at: clock().monotonic)
        listeners.finish()
    }

    /// Begins again with an empty replica for a controller of that epoch; listeners get a new beginning.
    func restart(as credentials: Credentials, from epoch: Epoch, seed: UInt64) async {
        firstEpoch = epoch
        replica = Replica(random: SeededGenerator(seed: seed))
        let records = history.records
        (feed, history, metrics, ends) = (LiveFeed(), PodHistory(), FleetMetrics(), RequestEnds())
        history.records = records
        (sites, siteReading) = (SiteRegister(), SiteReading())
        (hasLookedBack, isPastKnown) = (false, false)
        listeners.finish()
        (self.credentials, isDisowned) = (credentials, false)
        names.offer(credentials)
        await client.offer(credentials, forStreamOf: account)
        receive(.connection(.established))
    }

    private func follow() async {
        guard let updates = try? await client.updates(of: account, as: credentials) else { return }
        await follow(updates) {}
    }

    var pullCredentials: Credentials? { credentials }

    /// Switches to other credentials, because the session of these has ended.
    func refuse(_ ended: Credentials) {
        names.remove(ended)
        isDisowned = names.newest == nil
        credentials = names.newest ?? credentials
    }

    func recordChange() { changes.wrappingAdd(1, ordering: .releasing) }

    private func recordDevices() {
        guard !hasDevices, replica.deviceCount > 0 else { return }
        hasDevices = true
        sharedState.withLock { $0.hasHadDevices = true }
    }

    func receive(_ input: Replica.Input) {
        switch input {
        case .update(let update):
            guard update.epoch >= firstEpoch else { return }
            feed.record(update)
            metrics.record(update.body)
        case .chunk: feed.recordSnapshot()
        case .connection, .pullFailed, .tick: break
        }
        replica.step(input, at: clock(), into: &effects)
        for effect in effects {
            switch effect {
            case .pull(let pull): pulls.add(pull)
            case .event(let event):
                history.record(event, of: replica)
                ends.record(event)
            }
        }
        effects.removeAll(keepingCapacity: true)
        recordChange()
        let now = clock().monotonic
        resumeWaiting(at: now)
        recordDevices()
        if replica.hasUnwrittenRows { receive(.tick) }
        if !hasLookedBack { requestPast() }
        if case .connection(.established) = input {
            requestSites(at: now)
            requestPast()
        }
        setAlarm(at: now)
    }
}
