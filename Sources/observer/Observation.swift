import FleetClient
import FoundationEssentials
import ProcessSupport

/// Follows a fleet over its own connection until the observer ends.
struct Observation {
    let access: AccessOptions

    /// Follows the fleet, and returns the reason for the end. The observer ends with its parent, the
    /// supervisor. `since` is the age of the oldest ended requests to show. `timeout` is that of the
    /// condition `until`. Each option that is nil does nothing.
    func run(
        terminal: Terminal? = nil, parent: ParentWatch, recording: ((SessionFiles) -> RecordingPlan)? = nil,
        until: AwaitedCondition? = nil, since: Duration? = nil, timeout: Duration? = nil, log: String? = nil,
        settings: SettingsFile? = nil, notify: (command: NotifyCommand, filter: EventFilter)? = nil,
        presenter: (SessionFiles, RunDirectory) -> any Presenter
    ) async throws -> ObserverProcess.EndReason {
        let directory = try access.runDirectory.network.runDirectory(
            explicit: access.runDirectory.path, environment: Environment.current,
            startingAt: Environment.workingDirectory,
            hasCells: access.runDirectory.cells.isNamed(in: Environment.current))
        let sessions = SessionFiles(
            paths: access.session.map { [$0] } ?? [directory.observerSessionFile, directory.sessionFile],
            account: access.account)
        if access.session != nil || access.account != nil { try sessions.requireSession() }
        let clock = SystemClock()
        var random = SystemRandomNumberGenerator()
        let (connection, cells) = try access.connection(of: directory, for: sessions.read())
        let messageFile: MessageFile? = if let log { try MessageFile(path: log) } else { nil }
        let supervisor = terminal == nil ? nil : parent.expectedParent
        let watch = Watch(
            presenter: presenter(sessions, directory), sessions: sessions, until: until, since: since,
            errorLog: supervisor.map { _ in ErrorLog(in: directory) }, messageFile: messageFile,
            notifier: notify.map { NotificationQueue(filter: $0.filter) }, output: .standardOutput,
            suspend: { terminal?.suspend() }, clock: { clock.now() }, seed: random.next())
        if let plan = recording?(sessions) { try await watch.record(plan, isShown: World.hasTalkScreen) }
        return try await FleetClient.withClient(
            of: try connection.clientEndpoints, threadName: "observer", clock: { clock.now() },
            seed: random.next(), locate: cells?.locator
        ) { client in
            let process = ObserverProcess(
                watch: watch, client: client, sessions: sessions, terminal: terminal,
                rosterFile: RosterFile(path: directory.observerRosterFile), parent: parent,
                fleetLog: supervisor.map { FleetLog(in: directory, supervisedBy: $0) },
                settingsFile: settings, notifyCommand: notify?.command, since: since,
                timeout: timeout, sleep: World.sleep)
            directory.recordService(of: "observer", under: parent)
            return try await process.run()
        }
    }
}
