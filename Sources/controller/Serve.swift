import ArgumentParser
import Bus
import ControllerCore
import FleetProtocol
import Logging
import ProcessSupport
import UserText

/// `controller serve`: opens the store, binds the sockets, and runs until a stop signal.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the fleet of one run directory until SIGINT or SIGTERM.",
        discussion: """
            EXAMPLES
              controller serve
              controller serve --run-dir /tmp/lab --demo-account
              controller serve --retention 1h --retention-results 100000
              controller serve --allow-signup --outbox /tmp/lab/outbox
              controller serve --outbox-command "/usr/sbin/sendmail -t"
            """)

    @Option(help: "The run directory, with the sockets and the store.") var runDir = RunDirectory.defaultName

    @Flag(help: "Create the account `demo` with a random password, if there is no user yet.")
    var demoAccount = false

    @Option(
        help: """
            What requests and their outcomes survive: none (nothing), process (the death of any process), or \
            power (a power failure, too).
            """,
        transform: Durability.named)
    var durability: Durability = .process

    @Option(
        help: ArgumentHelp(
            """
            Listen on the network too, for peers with a key (`fleet key`, `fleet join-command`): the first of five \
            consecutive ports (default: SENSIBUS_LISTEN, else not).
            """, valueName: "tcp://HOST:PORT"),
        transform: { try NetworkAddress($0) })
    var listen: NetworkAddress?

    @OptionGroup var cells: CellArguments

    @Flag(
        help: """
            Wait until the list of --cells and the secret exist; the log has this cell's key, which the list needs.
            """)
    var waitForCells = false

    @OptionGroup var retained: RetentionOptions

    @OptionGroup var memory: MemoryOptions

    @Flag(
        name: .customLong("allow-signup"),
        help: "Allow users to sign up: anyone who can reach the fleet can create an account.")
    var allowsSignUp = false

    @Flag(help: "Let only owners and people on duty, by their account's roster, switch devices.")
    var onDutyOnly = false

    @OptionGroup var messages: OutboxOptions

    @Option(help: "Exit when this process is no longer the parent.") var supervisorPid: Int32?

    @Option(help: "The log level: \(Logs.levelNames).", transform: Logs.level(named:))
    var logLevel: Logger.Level = .info

    func run() throws {
        guard try serve() else { return }
        // An account has come from another cell, or has gone to one: the next run reads what is stored.
        throw ProcessImage.restart()
    }

    /// Serves until a stop signal, or the end of a move; returns whether the controller must start again.
    private func serve() throws -> Bool {
        try Hardening.apply(environment: Environment.current)
        SchedulingPolicy.useBatch()
        if messages.outboxCommand == nil { try Hardening.forbidNewPrivileges() }
        let listen = try self.listen ?? .listening(in: Environment.current)
        let cell = cells.own(relativeTo: try Environment.workingDirectory)
        let signals = try StopSignals()
        Logs.bootstrap(process: "controller", level: logLevel)
        let logger = Logger(label: "controller")
        let named = RunDirectory(path: runDir, relativeTo: try Environment.workingDirectory)
        try named.create()
        let directory = try named.opened()
        let lock = try FileLock(path: directory.lockFile(for: "controller"))
        defer { lock.close() }
        Logs.bound(directory.logFile(of: "controller"))
        if waitForCells, let cell {
            guard try cell.awaitFiles(in: directory, until: signals, logger: logger) else { return false }
        }
        let known = try cell.map { ($0, try $0.readSecret(environment: Environment.current)) }
        try directory.record(cell)
        let startup = Startup(
            options: self, directory: directory, listen: listen, cell: known, clock: SystemClock(),
            logger: logger)
        return try startup.serve(until: signals)
    }
}

@main
struct ControllerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.controller.command,
        abstract: Program.controller.abstract,
        discussion: """
            `fleet up` starts it; `fleet doctor` reads its versions.

            EXAMPLES
              controller serve --run-dir /tmp/lab --demo-account
            """,
        version: Versions.text,
        subcommands: [Serve.self, BackUp.self])

    static func main() { runAsMain() }
}
