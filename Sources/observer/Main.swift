import ArgumentParser
import Bus
import FleetClient
import FleetProtocol
import FleetReplica
import Glibc
import ProcessSupport
import UserText

@main
struct ObserverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.observer.command, abstract: Program.observer.abstract,
        discussion: """
            Without a subcommand, `observer` runs `observer watch` and takes its options.

            EXAMPLES
              observer
              observer --json --until 'device "Bedroom 7" on' --timeout 10s
              observer record monday.rec
              observer replay monday.rec --speed 10
            """,
        version: ProgramVersion.text(of: "observer"),
        subcommands: [WatchCommand.self, RecordCommand.self, ReplayCommand.self],
        defaultSubcommand: WatchCommand.self)

    /// Runs on the main thread, before other threads start.
    @MainActor static func main() async {
        // Updates are allocated on the client's thread and freed on others.
        Allocator.beFrugal()
        do {
            try Hardening.apply(environment: Environment.current)
            SchedulingPolicy.useBatch()
            try Hardening.forbidNewPrivileges()
            // For its sockets, a recording and the terminal.
            _ = try DescriptorLimit.raise(needing: 64)
        } catch {
            exit(reporting: error)
        }
        await runAsMain()
    }
}

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show a fleet live.",
        discussion: """
            In a terminal it shows a live table. Elsewhere it prints a line for each event, as text or, \
            with --json, as a JSON object. It waits for the controller and reconnects; q, Ctrl-C or \
            SIGTERM ends it.

            KEYS
              arrows j k g G    move the selection; also PgUp PgDn Home End
              Tab               the next pane: devices, log, details; also Shift-Tab
              enter             details and history of the selected device; esc goes back
              p                 details beside the table, on a wide screen
              /                 filter devices by a selector or a condition, or the log by a text
              s S f             next sort order; reverse it; faults only
              b C               group by site or by node; choose the columns
              space             pause, continue
              d r               duty roster; reload the roster
              l !               message log alone; errors only
              t c               toggle the selected device if it is as shown; cancel the toggle
              e                 export the table as CSV or NDJSON
              ? Ctrl-L          help; redraw the screen
              Ctrl-Z q          suspend; quit
              mouse             click a device, a pane or a heading, turn the wheel

            EXAMPLES
              observer
              observer --plain --filter bedroom
              observer --json --filter 'outcome conflict or outcome rejected'
              observer --json --snapshot --filter offline
              observer --plain --since 10m
              observer --json --until 'device "Bedroom 7" on' --timeout 10s
              observer --plain --notify 'logger -t sensibus' --notify-filter site:Home

            A condition is a selector of devices (`fleet --help`), or consists of these terms:
              device NAME [on|off|online|offline|stale|unknown]
              site NAME        node NAME        model skyv2|airq|pure|elements
              power on|off     presence online|offline|stale|unknown   or only the state, such as off
              outcome applied|unchanged|conflict|rejected|cancelled|expired|undetermined|unknown
              temperature, feelsLike, humidity or target, with < <= > >= = != and a number
            combined with not, and, or and brackets.

            The exit status is 0; 69 if there is no fleet, or no session that --session or --account \
            names; or 75 if the condition of --until is not met within --timeout.
            """)

    @Flag(help: "Print lines of text, also in a terminal.") var plain = false

    @Flag(help: "Print JSON objects, one per line.") var json = false

    @Flag(help: "With --json, first print the state of every device, then its changes.") var snapshot = false

    @Option(
        help: ArgumentHelp(
            "Show only devices that match a condition, and their events.",
            valueName: "condition"), transform: Arguments.filter)
    var filter: EventFilter?

    @Option(
        help: ArgumentHelp(
            "Exit as soon as a device meets a condition, at once if one does already.",
            valueName: "condition"),
        transform: Arguments.awaited)
    var until: AwaitedCondition?

    @Option(
        help: ArgumentHelp("How long --until waits, such as 10s (default: no limit).", valueName: "duration"),
        transform: Arguments.duration)
    var timeout: Duration?

    @Option(
        help: ArgumentHelp(
            "First show the requests that ended within this time, at most a day, as far as retained.",
            valueName: "duration"),
        transform: Arguments.duration)
    var since: Duration?

    @Option(
        help: ArgumentHelp(
            "Interval at which the table loads the roster, 5s to 24h (default: 500s).",
            valueName: "duration"),
        transform: Arguments.duration)
    var rosterEvery: Duration = LoadSchedule.usualInterval

    @Option(
        help: "Append every message of the table's log to this file, with times in UTC.", completion: .file())
    var log: String?

    @Flag(help: "Leave the mouse to the terminal, which then selects text without shift.")
    var noMouse = false

    @OptionGroup var csv: CSVOptions

    @OptionGroup var notification: NotifyOptions

    @OptionGroup var screen: SettingsOptions

    @OptionGroup var access: AccessOptions

    @Option(help: ArgumentHelp("End when this process is gone.", visibility: .private))
    var supervisorPid: Int32?

    func validate() throws {
        guard !(plain && json) else { throw ValidationError("give --plain or --json, not both") }
        guard !snapshot || json else { throw ValidationError("--snapshot needs --json") }
        guard log == nil || !plain && !json else {
            throw ValidationError("--log is for the table: redirect the output of --plain or --json instead")
        }
        guard since.map({ $0 <= Limits.longestHistory }) ?? true else {
            throw ValidationError("--since must be at most 24h: results are retained for a day")
        }
        guard (Duration.seconds(5)...Duration.seconds(86_400)).contains(rosterEvery) else {
            throw ValidationError("--roster-every must be 5s to 24h")
        }
        guard timeout == nil || until != nil else {
            throw ValidationError("--timeout needs --until: give a condition to wait for")
        }
    }

    func run() async throws {
        let isLive = isLive
        guard log == nil || isLive else {
            throw ValidationError(
                "--log needs a terminal with a table: redirect the output of --plain instead")
        }
        try await World.guarded {
            let endReason = try await Observation(access: access).run(
                terminal: isLive ? Terminal(hasMouse: !noMouse) : nil,
                parent: ParentWatch(expectedParent: supervisorPid),
                until: until, since: since, timeout: timeout, log: log,
                settings: isLive ? screen.file(in: Environment.current) : nil,
                notify: try notification.notifier(in: Environment.current)
            ) { presenter($0, in: $1, isLive: isLive) }
            guard case .timedOut = endReason, let until, let timeout else { return }
            let text = SafeText.of(until.text)
            throw World.Failure("condition not met within \(DurationText.text(timeout)): \(text)", code: 75)
        }
    }

    /// Whether to show a table: the output is a terminal with cursor control, and neither plain text nor JSON
    /// is selected.
    private var isLive: Bool { !plain && !json && World.hasScreen }

    private func presenter(
        _ sessions: SessionFiles, in directory: RunDirectory, isLive: Bool
    ) -> any Presenter {
        let filter = filter ?? .all
        if json { return JSONPresenter(filter: filter, showsSnapshot: snapshot) }
        guard isLive else { return PlainPresenter(filter: filter, eastOfUTC: World.eastOfUTC(at:)) }
        let clock = SystemClock()
        var view = ViewModel(
            account: sessions.accountName, condition: filter.condition, eastOfUTC: World.eastOfUTC(at:),
            random: World.randomness())
        view.statusSources.fleet = Program.fleet.command
        if let until { view.await(until.text) }
        if supervisorPid != nil { view.stopFleetAtQuit() }
        if log != nil { view.collectMessages() }
        view.exportCSV(as: csv.text)
        view.loadRoster(every: rosterEvery)
        if let file = screen.file(in: Environment.current) {
            screen.load(file, into: &view, at: clock.now().wall)
        }
        return LivePresenter(
            view: view, palette: Palette(for: Environment.current), size: Terminal.size,
            clock: { clock.now().monotonic },
            address: { FleetAddress(in: directory) })
    }
}

enum World {
    struct Failure: Error {
        let text: String
        let code: Int32

        init(_ text: String, code: Int32) { (self.text, self.code) = (text, code) }
    }

    static var hasScreen: Bool { isatty(STDOUT_FILENO) == 1 && Environment.current["TERM"] != "dumb" }
    static var hasTalkScreen: Bool { isatty(STDERR_FILENO) == 1 && Environment.current["TERM"] != "dumb" }

    static func randomness() -> SeededGenerator { SeededGenerator(seed: UInt64.random(in: 0 ... .max)) }
    static func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    /// Returns the offset of the local time zone from UTC at a time; positive to the east.
    @Sendable static func eastOfUTC(at time: WallTime) -> Duration {
        var seconds = time_t(time.unixMilliseconds / 1_000)
        var local = tm()
        localtime_r(&seconds, &local)
        return .seconds(local.tm_gmtoff)
    }

    /// Runs a body, and ends the process with a message and a status if it throws a known error.
    static func guarded(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as Failure {
            try end(printing: failure.text, code: failure.code)
        } catch let error as RuntimeError {
            let advice = if case .noFleet = error { ": \(ShellAdvice.noFleet)" } else { "" }
            try end(printing: "\(error)" + advice, code: 69)
        } catch let failure as TextOutput.Failure {
            try end(printing: "\(failure)", code: TextOutput.Failure.exitStatus)
        } catch let error where error is RecordingFailure || error is RecordingDamage {
            try end(printing: "\(error)", code: 69)
        } catch let error where error is BusError || error is FleetError {
            try end(printing: "\(error)", code: 70)
        }
    }

    private static func end(printing text: String, code: Int32) throws -> Never {
        TextOutput.standardError.writeIgnoringErrors("observer: \(SafeText.ofLines(text))\n")
        throw ExitCode(code)
    }
}
