import ArgumentParser
import Bus
import FleetClient
import FleetProtocol
import FoundationEssentials
import Glibc
import ObserverCore
import Runtime
import Stepping
import Wording

/// `observer`: shows a fleet live.
@main
struct ObserverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "observer",
        abstract: "Show a fleet live.",
        discussion: """
            In a terminal it is a table that keeps itself up to date. Otherwise it prints a line for each \
            event, in words or, with --json, as one JSON object. It waits for a controller that is away, \
            and ends with q, Ctrl-C or SIGTERM.

            KEYS
              arrows j k        move the selection; PgUp PgDn Home End go further
              enter             details and history of the selected device; esc goes back
              /                 filter by name or id; enter keeps it, esc drops it
              s f               the next sort order; faults only
              space             pause, and go on
              t c               toggle the selected device if it is as shown; take that back
              e                 export what the table shows as CSV or NDJSON
              ? q               the keys; quit

            EXAMPLES
              observer
              observer --plain --filter bedroom
              observer --json | grep '"kind":"outcome"'
            """)

    @Flag(help: "Print lines in words, also in a terminal.")
    var plain = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Option(help: ArgumentHelp("Show devices with TEXT in their name or id.", valueName: "text"))
    var filter = ""

    @Option(help: "Insist that the session is of this account.", transform: Self.account(named:))
    var account: AccountID?

    @Option(help: "The fleet's run directory; else SENSIBUS_RUN_DIR, else .sensibus here or above.")
    var runDir: String?

    @Option(help: "The session's file; else observer-session.json or session.json of the run directory.")
    var session: String?

    @Option(help: ArgumentHelp("End when this process is gone.", visibility: .private))
    var supervisorPid: Int32?

    func validate() throws {
        guard !(plain && json) else {
            throw ValidationError("--plain and --json exclude each other: give one")
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        do {
            let directory = try RunDirectory.find(
                explicit: runDir, environment: environment,
                startingAt: FileManager.default.currentDirectoryPath)
            try await watch(directory, environment: environment)
        } catch let error as RuntimeError {
            try end(saying: error.description, code: 69)
        } catch let error as BusError {
            try end(saying: error.description, code: 70)
        } catch let error as FleetError {
            try end(saying: error.description, code: 70)
        }
    }

    private func watch(_ directory: RunDirectory, environment: [String: String]) async throws {
        let sessions = SessionFiles(
            paths: session.map { [$0] } ?? [directory.observerSessionFile, directory.sessionFile],
            account: account)
        let clock = SystemClock()
        var random = SystemRandomNumberGenerator()
        let endpoints = FleetClient.Endpoints(
            clients: try directory.endpoint(.clients), stream: try directory.endpoint(.stream))
        let terminal = isLive(environment) ? Terminal() : nil
        let watch = Watch(
            presenter: presenter(sessions, isLive: terminal != nil, environment: environment),
            output: .standardOutput, clock: { clock.now() }, seed: random.next())
        let parent = ParentWatch(expectedParent: supervisorPid)
        try await FleetClient.withClient(
            of: endpoints, threadName: "observer", clock: { clock.now() }, seed: random.next()
        ) { client in
            let process = ObserverProcess(
                watch: watch, client: client, sessions: sessions, terminal: terminal, parent: parent,
                sleep: { try await Task.sleep(for: $0) })
            try await process.run()
        }
    }

    /// Whether a table makes sense: somebody looks, and the terminal can do more than print.
    private func isLive(_ environment: [String: String]) -> Bool {
        !plain && !json && isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
    }

    private func presenter(
        _ sessions: SessionFiles, isLive: Bool, environment: [String: String]
    ) -> any Presenter {
        let filter = DeviceFilter(filter)
        if json { return JSONPresenter(filter: filter) }
        guard isLive else { return PlainPresenter(filter: filter, eastOfUTC: Self.eastOfUTC()) }
        let name = account?.name ?? sessions.read()?.account.name ?? ""
        return LivePresenter(
            view: ViewModel(
                account: name, filter: filter, eastOfUTC: Self.eastOfUTC(),
                random: SeededGenerator(seed: UInt64.random(in: 0 ... .max))),
            usesColor: (environment["NO_COLOR"] ?? "").isEmpty, size: Terminal.size)
    }

    private static func account(named name: String) throws -> AccountID {
        guard let account = AccountID(name) else {
            throw ValidationError("an account is 1 to \(Limits.accountBytes) characters of a-z, 0-9 and -")
        }
        return account
    }

    /// How far east of UTC this machine's user is, now.
    private static func eastOfUTC() -> Duration {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        return .seconds(local.tm_gmtoff)
    }

    private func end(saying words: String, code: Int32) throws -> Never {
        TextOutput.standardError.say("observer: \(words)\n")
        throw ExitCode(code)
    }
}
