import FleetClient
import FleetProtocol
import FleetReplica
import ProcessSupport

actor Watch: ReplicaOwner {
    /// The minimum interval between two writes, so that updates share one; the first write after a pause is
    /// immediate.
    static let writeInterval: Duration = .milliseconds(5)

    /// The maximum number of queued view effects; further ones are dropped.
    private static let viewEffectLimit = 256

    nonisolated let pulls = ReplicaPulls()

    /// The view effects that the user requested; answer each with ``handle(_:)``.
    nonisolated let viewEffects: AsyncStream<ViewEffect>

    private let viewEffectFeed: AsyncStream<ViewEffect>.Continuation
    private let clock: @Sendable () -> Moment
    private let output: TextOutput
    private let suspend: @Sendable () -> Void
    private var presenter: any Presenter
    private var replica: Replica
    /// The updates that the actor follows; nil before the first stream.
    private var updates: StreamUpdates?
    /// The condition to wait for; nil without one, or once it has held.
    private var until: ConditionWatch?
    private let untilText: String
    /// The collected history of ended requests while it loads; nil if it was not requested or is complete.
    private var lookBack: LookBack?
    private var recording: Recording?
    private var connection = ConnectionState.connecting
    /// The session that requests use; nil until there is one.
    private(set) var pullCredentials: Credentials?
    private let sessions: SessionFiles
    /// The account of the first session; later sessions are of the same account.
    private var account: AccountID?
    /// The newest tokens that the controller rejected, one for each session file.
    private var rejected: [Token] = []
    /// The client whose requests use the session; nil until there is one.
    private var client: FleetClient?
    private var errorLog: ErrorLog?
    private var messageFile: MessageFile?
    private var notifier: NotificationQueue?
    /// Effects of the current step; the array is reused.
    private var effects: [Replica.Effect] = []
    private var pending: [UInt8] = []
    private var lastWrite = MonotonicTime.zero
    private(set) var isSignedOut = false
    /// Whether the awaited condition has held; later events are not shown.
    private(set) var hasHeld = false
    private var isFinished = false

    init(
        presenter: any Presenter, sessions: SessionFiles, until awaited: AwaitedCondition? = nil,
        since: Duration? = nil, errorLog: ErrorLog? = nil, messageFile: MessageFile? = nil,
        notifier: NotificationQueue? = nil, output: TextOutput,
        suspend: @escaping @Sendable () -> Void = {}, clock: @escaping @Sendable () -> Moment, seed: UInt64
    ) {
        (self.presenter, self.sessions) = (presenter, sessions)
        until = awaited.map { ConditionWatch(for: $0.condition) }
        untilText = awaited?.text ?? ""
        lookBack = since.map(LookBack.init(back:))
        (self.messageFile, self.notifier) = (messageFile, notifier)
        (self.errorLog, self.output, self.suspend, self.clock) = (errorLog, output, suspend, clock)
        replica = Replica(random: SeededGenerator(seed: seed))
        // The consumer is faster than a user who types, so the limit is not reached in practice.
        (viewEffects, viewEffectFeed) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.viewEffectLimit))
    }

    /// Starts recording; call it before any other method.
    func record(_ plan: RecordingPlan, isShown: Bool) throws {
        recording = try Recording(plan, isShown: isShown, replica: &replica, at: clock())
    }

    func follow(_ updates: StreamUpdates) async throws {
        self.updates = updates
        defer { self.updates = nil }
        try await follow(updates) {
            guard !pending.isEmpty else { return }
            if lastWrite.advanced(by: Self.writeInterval) <= clock().monotonic { try flush() }
        }
        try Task.checkCancellation()
    }

    func receive(_ input: Replica.Input) {
        let now = clock()
        if case .connection(let phase) = input { connection = phase }
        recording?.record(input, of: replica, at: now)
        replica.step(input, at: now, into: &effects)
        carryOut(of: replica, at: now)
        effects.removeAll(keepingCapacity: true)
        if replica.hasUnwrittenRows { receive(.tick) }
    }

    // Speed: see performance.md, "copies".
    /// Carries out the replica's effects.
    private func carryOut(of shown: Replica, at now: Moment) {
        for effect in effects {
            switch effect {
            case .pull(let pull): pulls.add(pull)
            case .event(let event): show(ObserverEvent(event), of: shown, at: now)
            }
        }
    }

    func turn() throws {
        receive(.tick)
        if let answer = until?.tick(replica) { hold(answer, at: clock()) }
        // A recording file without an initial state starts with an empty replica.
        if let recording, try recording.turn(&replica, at: clock()) { receive(.connection(connection)) }
        presenter.withView { $0.record(unread: updates?.unread ?? 0) }
        presenter.turn(replica, at: clock(), into: &pending)
        errorLog?.append(presenter.drainErrors(), at: clock().monotonic)
        if let failure = messageFile?.append(presenter.withView { $0.takeMessages() } ?? []) {
            report([EventLine(at: clock().wall, tone: .failure, text: failure)])
        }
        try flush()
    }

    /// Returns the notification for which the command must be called now; nil for none.
    func takeNotification() -> FleetNotification? { notifier?.take(at: clock().monotonic) }

    /// Shows messages that are already in a log file.
    func report(_ messages: [EventLine]) {
        presenter.withView { view in
            for message in messages { view.add(message, isStored: true) }
        }
    }

    func untilTurn() -> Duration { presenter.wait() }

    func redraw() throws {
        presenter.redraw()
        try turn()
    }

    func press(_ keys: [Key]) throws -> Bool {
        var new: [ViewEffect] = []
        for key in keys { presenter.press(key, on: replica, at: clock(), into: &new) }
        for viewEffect in new { viewEffectFeed.yield(viewEffect) }
        if new.contains(.suspend) {
            suspend()
            presenter.redraw()
        }
        try turn()
        return new.contains(.quit)
    }

    func handle(_ result: ViewResult) {
        presenter.withView { $0.handle(result, on: replica, at: clock()) }
    }

    /// Changes the view model of the screen, or reads it; returns nil without a screen.
    @discardableResult
    func withView<Value: Sendable>(
        _ body: @Sendable (_ view: inout ViewModel, _ now: Moment) -> Value
    ) -> Value? {
        let now = clock()
        return presenter.withView { body(&$0, now) }
    }

    /// Reports that the session is missing or unknown to the controller.
    func signOut() throws {
        reportSignedOut()
        try flush()
    }

    /// Whether to load the history now: the replica is complete, so that device names are known.
    var wantsHistory: Bool { lookBack != nil && replica.isWhole }

    /// Collects a chunk of the history; after the last chunk it shows all events.
    func handle(_ chunk: HistoryChunk) {
        lookBack?.append(chunk)
        guard chunk.isLast, let past = lookBack.take() else { return }
        let now = clock()
        for event in past.events(for: replica, at: now) {
            presenter.handle(event, of: replica, at: now, into: &pending)
        }
    }

    func missHistory() {
        guard lookBack.take() != nil else { return }
        report(.history(nil))
    }

    /// Uses the session of another file; without one it reports, once, that the controller does not know the
    /// session of a request. Only the session in use counts: a session may have been replaced while the
    /// request was in flight.
    func refuse(_ refused: Credentials) async {
        guard refused == pullCredentials, !isSignedOut else { return }
        rejected = (rejected + [refused.token]).suffix(max(1, sessions.paths.count))
        guard let next = nextSession, let client else { return reportSignedOut() }
        await use(next, with: client)
    }

    /// Reads the session files again while the controller rejects the session.
    func renewSession() async throws {
        if isSignedOut, let client, let next = nextSession { try await signIn(next, with: client) }
    }

    private var nextSession: StoredSession? { sessions.read(of: account, rejected: rejected) }

    private func reportSignedOut() {
        guard !isSignedOut else { return }
        isSignedOut = true
        presenter.withView { $0.become(.signedOut(advice: sessions.advice)) }
        report(.signedOut(sessions.advice))
    }

    /// Uses the session for later requests; after a sign-out it reports that the user is signed in again.
    func signIn(_ session: StoredSession, with client: FleetClient) async throws {
        await use(session, with: client)
        guard isSignedOut else { return }
        isSignedOut = false
        report(.signedIn)
        try flush()
    }

    private func use(_ session: StoredSession, with client: FleetClient) async {
        (account, pullCredentials, self.client) = (session.account, session.credentials, client)
        presenter.withView { $0.become(.signedIn(session.email, session.role)) }
        await client.use(session)
    }

    /// Writes the remaining output; later output is discarded.
    func finish() throws(TextOutput.Failure) {
        guard !isFinished else { return }
        defer { isFinished = true }
        presenter.finish(at: clock(), into: &pending)
        do {
            try recording?.finish(&replica, at: clock())
        } catch {
            TextOutput.standardError.writeIgnoringErrors("observer: \(error)\n")
        }
        try flush()
    }

    private func report(_ notice: ObserverEvent.Notice) {
        let now = clock()
        recording?.record(notice, at: now)
        presenter.handle(ObserverEvent(at: now.wall, notice), of: replica, at: now, into: &pending)
    }

    private func show(_ event: ObserverEvent, of shown: Replica, at now: Moment) {
        guard !hasHeld else { return }
        lookBack?.exclude(event)
        notifier?.handle(event, of: shown, at: now.monotonic)
        presenter.handle(event, of: shown, at: now, into: &pending)
        if let answer = until?.handle(event, of: shown) { hold(answer, at: now) }
    }

    /// Reports that the awaited condition holds, as the last event.
    private func hold(_ answer: ConditionWatch.Match, at now: Moment) {
        guard !hasHeld else { return }
        hasHeld = true
        let device: FleetEvent.Device? = if case .device(let device) = answer { device } else { nil }
        report(.held(device, untilText))
    }

    private func flush() throws(TextOutput.Failure) {
        guard !isFinished, !pending.isEmpty else { return }
        lastWrite = clock().monotonic
        try output.write(pending)
        pending.removeAll(keepingCapacity: true)
    }
}
