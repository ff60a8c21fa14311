import FleetClient
import FleetProtocol
import FleetReplica
import ObserverCore
import Runtime
import Stepping

/// Owns the replica and what is shown of it, and does what the replica wants done.
actor Watch: ReplicaOwner {
    /// Between two writes, so that many updates share one; the first after a pause is written at once.
    static let writeInterval: Duration = .milliseconds(5)

    /// Wishes that wait at most; what is wished beyond is never done.
    private static let waitingWishes = 256

    nonisolated let pulls = ReplicaPulls()

    /// What the person at the screen wants done; answer each with ``take(_:)``.
    nonisolated let wishes: AsyncStream<ViewEffect>

    private let wishFeed: AsyncStream<ViewEffect>.Continuation
    private let clock: @Sendable () -> Moment
    private let output: TextOutput
    private var presenter: any Presenter
    private var parser = KeyParser()
    private var replica: Replica
    /// What is followed; nil while nothing is.
    private var updates: StreamUpdates?
    /// What is waited for; nil where nothing is, or it has held.
    private var until: ConditionWatch?
    private let untilText: String
    /// What ended before, while it is being asked for; nil where nobody wants to know.
    private var lookBack: LookBack?
    /// What is recorded; nil where nothing is.
    private var recording: Recording?
    /// The connection as it was told last.
    private var connection = ConnectionState.connecting
    /// The session that requests use; nil until there is one.
    private(set) var pullCredentials: Credentials?
    /// What to do when there is no session that the controller knows.
    private let advice: String
    /// The log that stores errors; nil for none.
    private var errorLog: ErrorLog?
    /// Reused from step to step.
    private var effects: [Replica.Effect] = []
    private var pending: [UInt8] = []
    private var lastWrite = MonotonicTime.zero
    private(set) var isSignedOut = false
    /// Whether what was waited for has held; nothing is shown after.
    private(set) var hasHeld = false
    private var isFinished = false

    init(
        presenter: any Presenter, advice: String, until awaited: AwaitedCondition? = nil,
        since: Duration? = nil, errorLog: ErrorLog? = nil, output: TextOutput,
        clock: @escaping @Sendable () -> Moment, seed: UInt64
    ) {
        self.presenter = presenter
        self.advice = advice
        until = awaited.map { ConditionWatch(for: $0.condition) }
        untilText = awaited?.text ?? ""
        lookBack = since.map(LookBack.init(back:))
        self.errorLog = errorLog
        self.output = output
        self.clock = clock
        replica = Replica(random: SeededGenerator(seed: seed))
        // Somebody types them: they are taken up sooner than they come.
        (wishes, wishFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingWishes))
    }

    /// Records from now on; before anything else is done.
    ///
    /// - Throws: Why nothing can be recorded.
    func record(_ plan: RecordingPlan, isShown: Bool) throws {
        recording = try Recording(plan, isShown: isShown, replica: &replica, at: clock())
    }

    /// Follows a stream until its client is closed.
    func follow(_ updates: StreamUpdates) async throws {
        self.updates = updates
        defer { self.updates = nil }
        try await follow(updates) {
            guard !pending.isEmpty else { return }
            if lastWrite.advanced(by: Self.writeInterval) <= clock().monotonic { try flush() }
        }
        try Task.checkCancellation()
    }

    func take(_ input: Replica.Input) {
        let now = clock()
        if case .connection(let phase) = input { connection = phase }
        recording?.take(input, of: replica, at: now)
        replica.step(input, at: now, into: &effects)
        carryOut(of: replica, at: now)
        effects.removeAll(keepingCapacity: true)
        if replica.hasUnwrittenRows { take(.tick) }
    }

    /// Does what the replica wants done.
    ///
    /// - Parameter shown: The replica, handed in once: each event that looked it up would have it copied.
    private func carryOut(of shown: Replica, at now: Moment) {
        for effect in effects {
            switch effect {
            case .pull(let pull): pulls.add(pull)
            case .event(let event): show(ObserverEvent(event), of: shown, at: now)
            }
        }
    }

    /// Lets time pass, draws, and writes what there is to write.
    func turn() throws {
        take(.tick)
        if let answer = until?.tick(replica) { hold(answer, at: clock()) }
        // A file that was begun without a state begins with a replica that knows nothing.
        if let recording, try recording.turn(&replica, at: clock()) { take(.connection(connection)) }
        presenter.note(unread: updates?.unread ?? 0)
        presenter.turn(replica, at: clock(), into: &pending)
        errorLog?.append(presenter.takeErrors(), at: clock().monotonic)
        try flush()
    }

    /// Shows messages that a log file has already.
    func tell(_ messages: [EventLine]) {
        presenter.tell(messages)
    }

    /// How long it is until the next turn.
    func untilTurn() -> Duration {
        presenter.wait()
    }

    /// Draws everything anew.
    func redraw() throws {
        presenter.redraw()
        try turn()
    }

    /// Takes the bytes of keys: whether the person wants to leave.
    func press(_ bytes: [UInt8]) throws -> Bool {
        var new: [ViewEffect] = []
        for key in parser.keys(of: bytes) { presenter.press(key, on: replica, at: clock(), into: &new) }
        for wish in new { wishFeed.yield(wish) }
        try turn()
        return new.contains(.quit)
    }

    /// Takes what became of a wish.
    func take(_ result: ViewResult) {
        presenter.take(result, on: replica, at: clock())
    }

    /// When it is, if the roster is to be loaded now; what becomes of it is told.
    func wantsRoster() -> WallTime? {
        let now = clock()
        return presenter.wantsRoster(at: now) ? now.wall : nil
    }

    /// Takes what there is to know of the roster.
    func take(_ news: RosterNews) {
        presenter.take(news, at: clock())
    }

    /// Says that there is no session, or none that the controller knows.
    func signOut() throws {
        noteSignedOut()
        try flush()
    }

    /// Whether it is time to ask what ended before: names are known then.
    var wantsHistory: Bool { lookBack != nil && replica.isWhole }

    /// Takes some of what ended before; with the last, all of it is told.
    func take(_ chunk: HistoryChunk) {
        lookBack?.take(chunk)
        guard chunk.isLast, let past = lookBack.take() else { return }
        let now = clock()
        for event in past.events(for: replica, at: now) {
            presenter.take(event, of: replica, at: now, into: &pending)
        }
    }

    /// Says that nobody tells what ended before.
    func missHistory() {
        guard lookBack.take() != nil else { return }
        tell(.history(nil))
    }

    /// Reports, once, that the controller does not know the session of a request.
    ///
    /// Only the session in use counts: a session may have been replaced while the request was in flight.
    func refuse(_ refused: Credentials) {
        if refused == pullCredentials { noteSignedOut() }
    }

    private func noteSignedOut() {
        guard !isSignedOut else { return }
        isSignedOut = true
        presenter.become(.signedOut(advice: advice))
        tell(.signedOut(advice))
    }

    /// Stores the session for later requests; after a sign-out it reports that the user is signed in again.
    func signIn(_ session: StoredSession) throws {
        pullCredentials = Credentials(user: session.email, token: session.token)
        presenter.become(.signedIn(session.email, session.role))
        guard isSignedOut else { return }
        isSignedOut = false
        tell(.signedIn)
        try flush()
    }

    /// Writes what is left to write; nothing is written after.
    func finish() {
        guard !isFinished else { return }
        presenter.finish(at: clock(), into: &pending)
        do {
            try recording?.finish(&replica, at: clock())
        } catch {
            TextOutput.standardError.say("observer: \(error)\n")
        }
        do {
            try flush()
        } catch {
            // The reader has gone: nobody is left to tell.
            pending = []
        }
        isFinished = true
    }

    private func tell(_ notice: ObserverEvent.Notice) {
        let now = clock()
        recording?.note(notice, at: now)
        presenter.take(ObserverEvent(at: now.wall, notice), of: replica, at: now, into: &pending)
    }

    private func show(_ event: ObserverEvent, of shown: Replica, at now: Moment) {
        guard !hasHeld else { return }
        lookBack?.hear(event)
        presenter.take(event, of: shown, at: now, into: &pending)
        if let answer = until?.take(event, of: shown) { hold(answer, at: now) }
    }

    /// Says that what was waited for holds, as the last there is to say.
    private func hold(_ answer: ConditionWatch.Answer, at now: Moment) {
        guard !hasHeld else { return }
        hasHeld = true
        let device: FleetEvent.Device? = if case .device(let device) = answer { device } else { nil }
        tell(.held(device, untilText))
    }

    private func flush() throws {
        guard !isFinished, !pending.isEmpty else { return }
        lastWrite = clock().monotonic
        try output.write(pending)
        pending.removeAll(keepingCapacity: true)
    }
}
