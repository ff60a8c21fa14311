import FleetClient
import FleetProtocol
import FleetReplica
import FleetTime
import GatewayCore
import Synchronization
import UserText

/// One account's fleet as the gateway knows it: a replica that follows the controller, and who listens.
actor FleetMirror: ReplicaOwner {
    /// What others have to know of a mirror without waiting for it.
    private struct Life {
        var listeners = 0
        var hasEnded = false
        var hasHadDevices = false
    }

    /// Whose it is.
    nonisolated let account: AccountID
    private nonisolated let life = Mutex(Life())
    let client: FleetClient
    let clock: @Sendable () -> Moment
    /// Ends when the mirror does.
    private let ending: AsyncStream<Never>
    private let endFeed: AsyncStream<Never>.Continuation
    nonisolated let pulls = ReplicaPulls()

    private(set) var replica: Replica
    var feed = LiveFeed()
    var history = PodHistory()
    private var metrics = FleetMetrics()
    private var ends = RequestEnds()
    /// Where devices stand, as it was read last.
    var sites = SiteRegister()
    /// The time and state of the last reading of the sites.
    var siteReading = SiteReading()
    /// As others know it.
    private var hasDevices = false
    /// Requests to read the sites.
    let siteLooks: AsyncStream<Void>
    let siteFeed: AsyncStream<Void>.Continuation
    /// Requests to read what ended before the mirror began.
    let pastLooks: AsyncStream<Void>
    let pastFeed: AsyncStream<Void>.Continuation
    /// Whether that was attempted, and whether it is read.
    var hasLookedBack = false
    var isPastKnown = false
    /// The earliest time of the next batch of changes, and the time of the next heartbeat.
    var nextFeedAt = MonotonicTime.zero
    var nextHeartbeatAt = MonotonicTime.zero
    /// Rings at the next deadline.
    var alarm: MirrorAlarm
    /// In whose name the mirror asks: whoever the controller knew last.
    private(set) var credentials: Credentials
    private var names = KnownCredentials()
    /// Whether the controller knows them no more: until somebody of the account comes again, nobody asks.
    private(set) var isDisowned = false
    private(set) var listeners = MirrorListeners()
    private(set) var awaited: [AwaitedState] = []
    /// Reused from step to step.
    private var effects: [Replica.Effect] = []

    init(
        of account: AccountID, as credentials: Credentials, client: FleetClient,
        clock: @escaping @Sendable () -> Moment, seed: UInt64
    ) {
        (self.account, self.credentials, self.client, self.clock) = (account, credentials, client, clock)
        names.offer(credentials)
        alarm = MirrorAlarm(on: client.loop)
        replica = Replica(random: SeededGenerator(seed: seed))
        (ending, endFeed) = AsyncStream.makeStream()
        (siteLooks, siteFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (pastLooks, pastFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// What there is to be told of it in numbers.
    var measured: FleetMetrics.Told {
        (account.name, metrics, FleetMetrics.Summary(replica), listeners.count)
    }

    /// Whether somebody listens.
    nonisolated var isListenedTo: Bool { life.withLock { $0.listeners > 0 } }

    /// Whether the account has devices, or had some since it is mirrored.
    nonisolated var hasHadDevices: Bool { life.withLock(\.hasHadDevices) }

    /// Whether it follows its account no more.
    nonisolated var hasEnded: Bool { life.withLock(\.hasEnded) }

    /// Requests snapshots with these credentials from now on, and the stream when those in use have ended.
    ///
    /// Also updates the sites if the last reading was more than a second ago.
    func use(_ credentials: Credentials) async {
        isDisowned = false
        if credentials != self.credentials {
            self.credentials = credentials
            names.offer(credentials)
            await client.offer(credentials, forStreamOf: account)
        }
        requestPast()
        await catchUpWithSites()
    }

    /// What something says of the replica as it is now.
    func read<Value: Sendable>(_ body: @Sendable (Replica) -> Value) -> Value { body(replica) }

    /// Every device as the page shows it.
    func list() -> JSONValue { PageDevice.list(of: replica, at: PageSites(sites, of: account)) }

    /// What something says of the replica as it is now, and of what has happened.
    func readPods<Value: Sendable, Failure: Error>(
        _ body: @Sendable (Replica, PodHistory) throws(Failure) -> Value
    ) throws(Failure) -> Value { try body(replica, history) }

    /// What the page shows of a device's past; nil where there is no such device.
    func past(of device: DeviceID) -> JSONValue? {
        replica.row(of: device).map { _ in PageHistory.json(of: device, in: history, ends) }
    }

    /// Waits until the mirror has a state of a device, or a later one, for at most that time.
    ///
    /// - Parameter setting: What was changed of its settings; nil where nothing was.
    func waitForState(
        _ state: DeviceState, of device: DeviceID, with setting: SettingChange?, within patience: Duration
    ) async {
        let deadline = clock().monotonic.advanced(by: patience)
        await withCheckedContinuation { waiting in
            awaited.append(
                AwaitedState(
                    state: state, setting: setting, device: device, deadline: deadline, waiting: waiting))
            let now = clock().monotonic
            resumeWaiting(at: now)
            setAlarm(at: now)
        }
    }

    /// Lets those go on whose state is known, whose device is none any more, or whose time is over.
    func resumeWaiting(at now: MonotonicTime) {
        guard !awaited.isEmpty else { return }
        let (resumed, others) = (
            awaited.filter { isOver($0, at: now) }, awaited.filter { !isOver($0, at: now) }
        )
        awaited = others
        for one in resumed { one.waiting.resume() }
    }

    private func isOver(_ one: AwaitedState, at now: MonotonicTime) -> Bool {
        hasEnded || now >= one.deadline || one.isOver(in: replica)
    }

    /// Begins to tell what changes.
    ///
    /// - Parameters:
    ///   - position: Where in the stream the listener was; nil where it was nowhere.
    ///   - session: The token of the listener's session.
    /// - Returns: What to begin with, then batch after batch; it ends when the listener is too slow, or when
    ///   newer listeners take its place.
    func listen(after position: StreamPosition?, in session: Token) -> AsyncStream<[UInt8]> {
        // Without listeners, changes are gathered but not sent.
        tellChanges(at: clock().monotonic)
        let beginning = feed.beginning(after: position, replica)
        let stream = listeners.add(of: session, beginning: beginning) { number in
            Task { await self.forget(number) }
        }
        countListeners()
        if hasEnded { listeners.finish() }
        setAlarm(at: clock().monotonic)
        return stream
    }

    private func forget(_ number: UInt64) {
        listeners.remove(number)
        countListeners()
    }

    private func countListeners() { life.withLock { $0.listeners = listeners.count } }

    // MARK: - What drives it

    /// Follows the account until it is to end, or the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await self.follow() }
            group.addTask { await self.followConnection(of: self.client) }
            group.addTask { await self.answerPulls(with: self.client) }
            group.addTask { await self.takeTurns() }
            group.addTask { await self.followSites() }
            group.addTask { await self.followPast() }
            for await _ in ending {}
            group.cancelAll()
        }
    }

    /// Lets nobody listen any more, and follows the account no longer.
    func end() {
        life.withLock { $0.hasEnded = true }
        endFeed.finish()
        resumeWaiting(at: clock().monotonic)
        listeners.finish()
    }

    private func follow() async {
        guard let updates = try? await client.updates(of: account, as: credentials) else { return }
        await follow(updates) {}
    }

    var pullCredentials: Credentials? { credentials }

    /// Goes on with other credentials, since the session of these has ended.
    func refuse(_ ended: Credentials) {
        names.forget(ended)
        isDisowned = names.newest == nil
        credentials = names.newest ?? credentials
    }

    private func noteDevices() {
        guard !hasDevices, replica.deviceCount > 0 else { return }
        hasDevices = true
        life.withLock { $0.hasHadDevices = true }
    }

    func take(_ input: Replica.Input) {
        switch input {
        case .update(let update):
            feed.note(update)
            metrics.note(update.body)
        case .chunk: feed.noteSnapshot()
        case .connection, .pullFailed, .tick: break
        }
        replica.step(input, at: clock(), into: &effects)
        for effect in effects {
            switch effect {
            case .pull(let pull): pulls.add(pull)
            case .event(let event):
                history.note(event, of: replica)
                ends.note(event)
            }
        }
        effects.removeAll(keepingCapacity: true)
        let now = clock().monotonic
        resumeWaiting(at: now)
        noteDevices()
        if replica.hasUnwrittenRows { take(.tick) }
        if !hasLookedBack { requestPast() }
        if case .connection(.established) = input {
            requestSites(at: now)
            requestPast()
        }
        setAlarm(at: now)
    }
}
