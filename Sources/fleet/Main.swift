import ArgumentParser
import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport
import UnixSignals
import UserFiles
import UserText

@main
struct Fleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.fleet.command,
        abstract: Program.fleet.abstract,
        discussion: """
            EXAMPLES
              fleet up --devices 1000        start a fleet and show it; press q twice to stop it
              fleet toggle "Bedroom 7"       in another terminal: toggle a device
              fleet status --json            the fleet's state, for scripts

            SELECTORS
              Device commands accept any number of selectors. The first rule that matches decides.
              all              every device
              VMe9BNPT         a device by its ID
              "Bedroom 7"      a device by its name, in any case
              site:Home        the devices at a site
              'bedroom*'       a pattern for names and IDs: * is any characters, ? is one
              'offline and site:Home'   a condition of several words; see `observer watch --help`
              "nursery 1"      a part of a name, in any case
              A part of several names is an error that lists the devices; `devices` and
              `load --devices` select all of them.

            EXIT STATUS
              0   success: applied, unchanged, or the request was carried out
              1   refused by the device or the controller: conflict, rejected, expired,
                  cancelled, tooLate
              64  usage: also invalid, idMismatch, idTooOld, and --request-id with several
                  devices
              69  the device is offline, or no controller is running
              70  internal error; please report it
              74  standard output cannot be written
              75  busy, unknown, undetermined, cancelPending: check, then try again
              77  unauthenticated, notFound, notAllowed, offDuty, moved
              141  the reader of standard output has gone, as with `| head`

            With several devices, the exit status is the worst, in the order 0, 1, 69, 75, 77,
            64, 70, 74, 141.
            """,
        version: ProgramVersion.text(of: Program.fleet.command),
        groupedSubcommands: [
            CommandGroup(
                name: "Fleet",
                subcommands: [
                    UpCommand.self, StatusCommand.self, DownCommand.self, RestartCommand.self,
                    FleetsCommand.self, OpenCommand.self, ResetCommand.self, PruneCommand.self,
                    ScenarioCommand.self, ScaleCommand.self, LogsCommand.self, DoctorCommand.self,
                    BackupCommand.self, RestoreCommand.self, SuperviseCommand.self,
                ]),
            CommandGroup(
                name: "Device",
                subcommands: [
                    DevicesCommand.self, DeviceCommand.self, WaitCommand.self, ToggleCommand.self,
                    SetCommand.self, TimerCommand.self, ScheduleCommand.self, ClimateReactCommand.self,
                    FilterCommand.self, CalibrateCommand.self, PureBoostCommand.self, CancelCommand.self,
                    OutcomeCommand.self, LabelCommand.self, PodsCommand.self, QueueGroup.self,
                ]),
            CommandGroup(
                name: "Account",
                subcommands: [
                    SitesCommand.self, SiteCommand.self, RosterCommand.self, PostCommand.self,
                    UserCommand.self, KeyCommand.self, LoginCommand.self, LogoutCommand.self,
                    WhoamiCommand.self, SignUpCommand.self, PasswordCommand.self,
                ]),
            CommandGroup(
                name: "Host",
                subcommands: [
                    PeerKeyCommand.self, InviteCommand.self, JoinCommand.self, CellCommand.self,
                    AccountCommand.self,
                ]),
            CommandGroup(
                name: "Test",
                subcommands: [
                    TestServerProgram.self, LoadCommand.self, InjectCommand.self, HealCommand.self,
                    SimulateCommand.self,
                ]),
            CommandGroup(
                name: "Program",
                subcommands: [
                    ObserverProgram.self, GatewayProgram.self, ControllerProgram.self, DeviceSimProgram.self,
                ]),
        ])

    /// Parses the command line, runs the command, and exits with its status. Starts on the main thread,
    /// before the process has other threads.
    @MainActor static func main() async {
        // Before it may end.
        _ = StartingProcess.id
        do {
            try Hardening.apply(environment: Environment.current)
            let words = Array(CommandLine.arguments.dropFirst())
            let names =
                KnownNames.areWanted(by: words) ? await .load(for: words, in: .system) : KnownNames()
            var command = try KnownNames.$current.withValue(names) { try parseAsRoot() }
            guard let ours = command as? any FleetCommand else { return try command.run() }
            if !ours.needsPrivileges { try Hardening.forbidNewPrivileges() }
            Surroundings.system.leave(await ours.status(in: .system))
        } catch {
            let advice = advice(for: Array(CommandLine.arguments.dropFirst()))
            exit(reporting: advice.map(ValidationError.init) ?? error)
        }
    }

    /// Returns an error text for a misspelled subcommand; nil if no word is one, or no name is near.
    static func advice(for words: [String]) -> String? {
        var (command, path): (any ParsableCommand.Type, String) = (Self.self, Program.fleet.command)
        for word in words {
            let shown = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
            guard let next = shown.first(where: { $0.configuration.commandName == word }) else {
                let near = NearestWord.to(word, among: shown.compactMap { $0.configuration.commandName })
                return near.map { "no command '\(SafeText.of(word))': did you mean `\(path) \($0)`?" }
            }
            (command, path) = (next, "\(path) \(word)")
        }
        return nil
    }
}

extension Surroundings {
    static func wait(for duration: Duration) async throws { try await Task.sleep(for: duration) }

    fileprivate static let system: Surroundings = {
        let environment = Environment.current
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let mayDraw = environment["TERM"] != "dumb" && environment["NO_COLOR"] == nil
        let mayReplace = isatty(STDERR_FILENO) == 1 && mayDraw
        let live = LiveOutput(
            columns: { TerminalSize(of: STDERR_FILENO)?.columns ?? usualColumns },
            write: { TextOutput.standardError.writeIgnoringErrors($0) })
        let show: @Sendable (String?) -> Void = { live.show($0) }
        let clock = SystemClock()
        return Surroundings(
            environment: environment, workingDirectory: workingDirectory,
            executable: Program.ownPath, arguments: Array(CommandLine.arguments.dropFirst()),
            processID: getpid(),
            terminal: Terminal(
                canDraw: isTerminal && isatty(STDIN_FILENO) == 1 && mayDraw,
                columns: {
                    isTerminal && mayReplace ? TerminalSize(of: STDERR_FILENO)?.columns : nil
                },
                print: { line throws(CommandFailure) in
                    try live.writeAbove { () throws(CommandFailure) in try print(line) }
                },
                notify: { line in live.writeAbove { Logs.notify(line) } },
                showProgress: mayReplace ? show : printLine,
                readPassword: Keyboard(descriptor: STDIN_FILENO).readPassword,
                readLine: Keyboard(descriptor: STDIN_FILENO).readLineOfInput, redirectOutput: redirectOutput),
            zone: Environment.timeZone, limits: { .current() }, now: { clock.now() },
            threadTime: { clock.threadTime() }, pause: wait(for:),
            makeRequestID: {
                var generator = SystemRandomNumberGenerator()
                return RequestID(at: clock.now().wall, using: &generator)
            },
            randomBits: { .random(in: .min ... .max) },
            stopSignals: { await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) },
            leave: { leave($0, after: live) })
    }()

    private static func print(_ line: String) throws(CommandFailure) {
        do throws(TextOutput.Failure) {
            try TextOutput.standardOutput.writeLine(line)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func leave(_ status: ExitStatus, after live: LiveOutput) -> Never {
        live.show(nil)
        do throws(TextOutput.Failure) {
            try TextOutput.standardOutput.finish()
        } catch {
            Fleet.exit(reporting: error)
        }
        Glibc.exit(status.rawValue)
    }

    /// The absolute path of the working directory; without one, the process ends.
    private static var workingDirectory: String {
        do throws(RuntimeError) {
            return try Environment.workingDirectory
        } catch {
            let failure = CommandFailure(error)
            Logs.notify("fleet: \(failure)")
            Glibc.exit(failure.status.rawValue)
        }
    }

    /// The width of a terminal whose width is not known, in columns.
    private static let usualColumns = 80

    private static func printLine(_ text: String?) {
        if let text { TextOutput.standardError.writeIgnoringErrors("\(text)\n") }
    }

    /// Appends all later output to a log file of limited size.
    private static func redirectOutput(to file: String) throws(CommandFailure) {
        let descriptor: Int32
        do throws(RuntimeError) {
            descriptor = try OwnFile.open(file, O_WRONLY | O_APPEND | O_CREAT)
        } catch {
            throw CommandFailure(error)
        }
        for standard in [STDOUT_FILENO, STDERR_FILENO] where dup2(descriptor, standard) < 0 {
            throw CommandFailure(.bug, "cannot write to \(file) (errno \(errno))")
        }
        close(descriptor)
        Logs.bound(file)
    }
}
