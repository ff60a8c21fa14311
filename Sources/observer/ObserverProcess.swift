import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import UnixSignals
import UserText

struct ObserverProcess: Sendable {
    /// The interval between checks that the supervisor is running.
    static let parentInterval: Duration = .milliseconds(100)
    /// The interval between reads of the session files while the observer has no session.
    static let sessionInterval: Duration = .seconds(1)
    /// The interval between checks that the roster or the logbook should be loaded.
    static let loadInterval: Duration = .milliseconds(250)
    /// The interval at which the observer reads the supervisor's log.
    static let logInterval: Duration = .milliseconds(250)
    /// The interval between checks that the settings of the table have changed.
    static let settingsInterval: Duration = .seconds(1)
    /// The interval between checks that the command of `--notify` must be called.
    static let notifyInterval: Duration = .milliseconds(250)
    /// The time ahead for which shifts are loaded.
    static let rosterSpan: Duration = .seconds(31 * 86_400)

    static let ends: [UnixSignal] = [.sigint, .sigterm, .sighup]
    /// Signals that require a redraw: the terminal was resized, or another process used it while this one was
    /// stopped.
    static let redraws: [UnixSignal] = [.sigwinch, .sigcont]

    let watch: Watch
    let client: FleetClient
    let sessions: SessionFiles
    let terminal: Terminal?
    let rosterFile: RosterFile
    let parent: ParentWatch
    /// The fleet's own log, shown with the stream's messages; nil for an observer without a supervisor.
    let fleetLog: FleetLog?
    /// The file with the settings of the table; nil to store none.
    let settingsFile: SettingsFile?
    let notifyCommand: NotifyCommand?
    /// The age of the oldest ended requests to show; nil to show none.
    let since: Duration?
    let timeout: Duration?
    let sleep: @Sendable (Duration) async throws -> Void

    /// Runs until the user quits, the output or the supervisor is gone, or the awaited condition holds or
    /// times out.
    func run() async throws -> EndReason {
        var endReason = EndReason.asked
        var failure: TextOutput.Failure?
        let signals = await UnixSignalsSequence(trapping: Self.ends + (terminal == nil ? [] : Self.redraws))
        signal(SIGPIPE, SIG_IGN)
        terminal?.enter()
        defer { TerminalMode.restore() }
        let keys = Keyboard(isUsed: terminal != nil, loop: client.loop)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await followSession() }
                group.addTask { await watch.followConnection(of: client) }
                group.addTask { await watch.answerPulls(with: client) }
                group.addTask { await carryOutViewEffects() }
                group.addTask { try await tick() }
                group.addTask { try await watchParent() }
                if let fleetLog { group.addTask { try await follow(fleetLog) } }
                group.addTask { try await obey(signals) }
                group.addTask { try await obey(keys) }
                if let notifyCommand {
                    group.addTask {
                        try await every(Self.notifyInterval) { try await notify(with: notifyCommand) }
                    }
                }
                if let settingsFile {
                    group.addTask {
                        try await every(Self.settingsInterval) { await storeChanges(in: settingsFile) }
                    }
                }
                if let timeout { group.addTask { try await giveUp(after: timeout) } }
                // Unlike waitForAll, this ends with the first error, and so cancels the others.
                for try await _ in group {}
            }
        } catch let error as TextOutput.Failure {
            failure = error
        } catch let reason as EndReason {
            endReason = reason
        }
        keys.close()
        if let settingsFile { await storeChanges(in: settingsFile) }
        do throws(TextOutput.Failure) {
            try await watch.finish()
        } catch {
            failure = failure ?? error
        }
        // Without a reader, as with `observer | head`, the observer ends as if asked to.
        if let failure, !failure.isUnread { throw failure }
        return endReason
    }

    /// The reason why the observer ends; only a timeout ends it with a failure status.
    enum EndReason: Error {
        /// The user asked for it, or the reader of the output is gone.
        case asked
        case orphaned
        case held
        case timedOut
    }

    /// Starts the shutdown timer, because a write to a full pipe could block the process.
    private func end(_ reason: EndReason) -> EndReason {
        LastSecond.begin()
        return reason
    }

    /// Waits for a session, then follows its account's stream for good.
    private func followSession() async throws {
        var session = sessions.read()
        if session == nil { try await watch.signOut() }
        while session == nil {
            try await sleep(Self.sessionInterval)
            session = sessions.read()
        }
        guard let first = session else { return }
        await client.use(first)
        let updates = try await client.updates(of: first.account, pause: Watch.writeInterval)
        try await watch.signIn(first, with: client)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watch.follow(updates) }
            // For a new token, while the controller rejects the current one.
            group.addTask { try await every(Self.sessionInterval) { try await watch.renewSession() } }
            if let since { group.addTask { try await lookBack(since) } }
            if terminal != nil {
                group.addTask { try await followRoster(of: first.account) }
                group.addTask { try await followLogbook() }
            }
            for try await _ in group {}
        }
    }

    private func every(_ interval: Duration, _ work: () async throws -> Void) async throws -> Never {
        while true {
            try await sleep(interval)
            try await work()
        }
    }

    /// Shows the cached roster, and loads the roster whenever the screen needs it.
    private func followRoster(of account: AccountID) async throws {
        if let stored = rosterFile.read(), stored.account == account { await report(.stored(stored)) }
        while true {
            let due = await watch.withView { $0.wantsRoster(at: $1.monotonic) ? $1.wall : nil }
            if let due = due ?? nil { await loadRoster(of: account, at: due) }
            try await sleep(Self.loadInterval)
        }
    }

    private func report(_ event: RosterEvent) async {
        await watch.withView { $0.handle(event, at: $1.monotonic) }
    }

    /// Loads the newest posts of the logbook whenever the screen needs them.
    private func followLogbook() async throws {
        while true {
            if await watch.withView({ $0.wantsPosts(at: $1.monotonic) }) == true {
                let event = await newestPosts()
                await watch.withView { $0.handle(event, at: $1.monotonic) }
            }
            try await sleep(Self.loadInterval)
        }
    }

    private func newestPosts() async -> PostEvent {
        do throws(FleetError) {
            return .loaded(try await client.postChunk(PostPull()))
        } catch {
            return .notLoaded(why: EffectRunner.text(error))
        }
    }

    private func loadRoster(of account: AccountID, at now: WallTime) async {
        do throws(FleetError) {
            let (roster, plan) = try await client.roster(from: now, until: now.advanced(by: Self.rosterSpan))
            let loaded = LoadedRoster(account: account, roster: roster, plan: plan, asOf: now)
            await report(.loaded(loaded))
            rosterFile.write(loaded)
        } catch {
            await report(.failed(why: EffectRunner.text(error)))
        }
    }

    /// Loads the history once device names are known.
    private func lookBack(_ back: Duration) async throws {
        while await !watch.wantsHistory { try await sleep(await watch.untilTurn()) }
        do throws(FleetError) {
            try await client.readHistory(back: back) { await watch.handle($0) }
        } catch {
            await watch.missHistory()
        }
    }

    /// Shows the supervisor's messages, which the supervisor does not print while an observer draws.
    private func follow(_ start: FleetLog) async throws {
        var log = start
        await watch.report(log.past())
        try await every(Self.logInterval) { await watch.report(log.added()) }
    }

    private func storeChanges(in file: SettingsFile) async {
        let settings = await watch.withView { view, _ in view.takeChangedSettings() }
        guard let changed = settings ?? nil else { return }
        do throws(RuntimeError) {
            try file.write(changed)
        } catch {
            await report(failure: "settings not stored: \(error)")
        }
    }

    /// Calls the command of `--notify`, one call at a time; the calls that wait at the end are dropped.
    private func notify(with command: NotifyCommand) async throws {
        guard let notification = await watch.takeNotification() else { return }
        let failure = await command.call(for: notification, sleep: sleep)
        try Task.checkCancellation()
        if let failure { await report(failure: "--notify: \(failure)") }
    }

    private func report(failure: String) async {
        let text = SafeText.of(failure)
        guard terminal != nil else {
            return TextOutput.standardError.writeIgnoringErrors("observer: \(text)\n")
        }
        await watch.withView { $0.add(EventLine(at: $1.wall, tone: .failure, text: text), isStored: true) }
    }

    private func carryOutViewEffects() async {
        let viewEffects = watch.viewEffects
        let effects = EffectRunner(client: client)
        await withDiscardingTaskGroup { group in
            for await viewEffect in viewEffects {
                group.addTask {
                    if let result = await effects.carryOut(viewEffect) { await watch.handle(result) }
                }
            }
        }
    }

    /// Runs the turns of the actor, at most 30 a second.
    private func tick() async throws {
        while true {
            try await sleep(await watch.untilTurn())
            try await watch.turn()
            if await watch.hasHeld { throw EndReason.held }
        }
    }

    private func giveUp(after timeout: Duration) async throws {
        try await sleep(timeout)
        throw end(.timedOut)
    }

    /// Waits until the supervisor is gone, in a task of its own because a turn can block on the output.
    private func watchParent() async throws {
        while !parent.isOrphaned { try await sleep(Self.parentInterval) }
        throw end(.orphaned)
    }

    private func obey(_ signals: UnixSignalsSequence) async throws {
        for await signal in signals {
            guard Self.redraws.contains(signal) else { throw end(.asked) }
            if signal == .sigcont { terminal?.enter() }
            try await watch.redraw()
        }
    }

    private func obey(_ keys: Keyboard) async throws {
        for await pressed in keys.keys {
            if try await watch.press(pressed) { throw end(.asked) }
        }
    }
}
