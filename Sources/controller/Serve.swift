import ArgumentParser
import Bus
import ControllerCore
import FleetProtocol
import Logging
import ProcessSupport
import UserText

/// `controller serve`: opens the store, binds the sockets, and runs until a stop signal.
struct Serve: ParsableCommand {
    /// The limit of the loop's busy polling: about the time in which a node answers a command.
    private static let busyPoll: Duration = .microseconds(100)

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
        let cellSecret = try cell?.readSecret(environment: Environment.current)
        try directory.record(cell)
        let descriptors = try DescriptorLimit.raise(needing: ControllerSockets.neededDescriptors)
        let clock = SystemClock()
        if durability == .power { check(directory, clock, logger) }
        let store = try openStore(in: directory)
        let epoch = try store.beginEpoch(at: clock.now().wall)
        var replay = JournalReplay()
        let journal = try openJournal(
            in: directory, of: epoch, with: store, at: clock.now().wall, into: &replay)
        let (unread, lostUpTo) = (journal?.unread, journal?.lostUpTo)
        if let lostUpTo {
            logger.warning(
                "power may have been lost: unknown requests up to this time are refused",
                metadata: ["upToMs": "\(lostUpTo.unixMilliseconds)"])
        }
        let context = try Context(ioThreads: listen == nil ? 1 : NetworkServer.ioThreads)
        defer { context.terminate() }
        let accounts = try PasswordHasher(context: context)
        let moves = try store.moves()
        if demoAccount, try store.users().isEmpty, moves.departed[directory.demo.account] == nil {
            try DemoAccount(names: directory.demo, cell: cell?.name, directory: directory).make(
                in: store, with: accounts, at: clock.now().wall)
        }
        var configuration = ControllerConfiguration(
            epoch: epoch, users: try store.users(), sessions: try store.sessions(), seed: epoch.value)
        configuration.retention.longest = retained.retention
        configuration.retention.results = retained.retentionResults
        configuration.loginFailures = try store.loginFailures()
        configuration.keys = try store.keys()
        configuration.passwordResets = try store.passwordResets()
        configuration.signUpsWholeAt = try store.signUpsWholeAt()
        let outbox = try outboxWay.map { try Outbox($0, clock: clock, logger: logger) }
        configuration.selfService = SelfService(signsUp: allowsSignUp, resetsPasswords: outbox != nil)
        configuration.records = try store.serviceRecords()
        configuration.restoresRequests = try store.restoresCommands(
            isJournalled: durability != .none,
            isCommandOpen: configuration.records.hasOpenCommand)
        configuration.isOnDutyOnly = onDutyOnly
        if let cell, let cellSecret {
            let list = try cell.readList(orCopyIn: directory) { error in
                logger.error(
                    "the list of cells cannot be read; its last copy is used",
                    metadata: ["reason": "\(error)"])
            }
            configuration.cells = CellConfiguration(
                cell, in: list, with: cellSecret, moves, storesRequests: durability != .none)
        }
        let loop = try Loop(name: "controller", context: context)
        loop.busyPoll(upTo: Self.busyPoll)
        let reader = SegmentReader(directory: directory.journalDirectory)
        let (open, ended) = (replay.openCount, replay.endedCount)
        let controller = Controller(
            configuration, recovering: consume replay, awaiting: try store.nodes(), at: clock.now())
        if let service = controller.damagedService {
            throw StorageError.damaged(path: store.path, what: "a record of service \(service)")
        }
        if controller.unreadableRecords > 0 {
            logger.warning(
                "records of account services cannot be read: they are ignored, and stay in the store",
                metadata: ["records": "\(controller.unreadableRecords)", "store": "\(directory.storeFile)"])
        }
        let connections = ControllerSockets.connections(within: listen == nil ? descriptors : descriptors / 2)
        // Before all other sockets, so that no peer is admitted without a decision.
        let network = try listen.map {
            try NetworkServer(at: $0, in: directory, connections: connections, loop: loop, logger: logger)
        }
        var cellLinks: CellLinks?
        if let cell, let cellSecret {
            cellLinks = try CellLinks(
                of: cell, presenting: cellSecret.token, in: directory, on: loop, logger: logger)
        }
        try directory.record(networkAddress: listen)
        let sockets = try ControllerSockets(connections: connections, context: context) { socket in
            SocketPlace(endpoint: try directory.endpoint(socket))
        }
        let server = try Server(
            controller: controller,
            journal: journal, store: store, hasher: accounts, outbox: outbox,
            gate: NodeGate(secret: try directory.nodeSecret()), reader: reader, sockets: sockets,
            network: network, cells: cellLinks, directory: directory, loop: loop, clock: clock,
            logger: logger)
        loop.register(fileDescriptor: signals.fileDescriptor) {
            guard let signal = signals.read() else { return }
            logger.info("stopping", metadata: ["signal": "\(signal)"])
            loop.stop()
        }
        let watch = MemoryWatch(memory.memoryLimit, on: loop) { _ in loop.stop() }
        try watch.begin()
        let parent = ParentWatch(expectedParent: supervisorPid)
        try server.serve(watching: parent)
        directory.recordService(of: "controller", under: parent, logger)
        logger.info(
            "serving",
            metadata: [
                "epoch": "\(epoch)", "runDir": "\(directory)", "durability": "\(durability)",
                "retention": "\(retained.retention)", "retentionResults": "\(retained.retentionResults)",
                "memoryLimit": "\(memory.memoryLimit.argument)",
                "open": "\(open)", "ended": "\(ended)", "segmentsToRead": "\(unread?.numbers.count ?? 0)",
            ])
        if let unread { reader.read(unread) { loop.perform {} } }
        // All other threads exist now.
        SchedulingPolicy.useUsual()
        loop.run()
        try server.end()
        try watch.end()
        return store.hasMoved
    }

    /// Logs why the file system cannot keep what `--durability power` promises.
    private func check(_ directory: RunDirectory, _ clock: SystemClock, _ logger: Logger) {
        do throws(RuntimeError) {
            let probe = try StorageProbe(ofJournalIn: directory) { clock.now().monotonic }
            let facts: Logger.Metadata = ["fileSystem": "\(probe.fileSystem)", "sync": "\(probe.sync)"]
            for concern in probe.concerns {
                logger.warning("a power failure may undo acknowledged requests: \(concern)", metadata: facts)
            }
            if probe.concerns.isEmpty { logger.info("storage", metadata: facts) }
        } catch {
            logger.warning("the file system was not measured", metadata: ["reason": "\(error)"])
        }
    }

    /// The target of messages to users; nil without one.
    private var outboxWay: Outbox.Way? {
        if let outbox = messages.outbox { return .directory(outbox) }
        let parts = (messages.outboxCommand ?? "").split(separator: " ").map(String.init)
        return parts.first.map { .command(executable: $0, arguments: Array(parts.dropFirst())) }
    }

    /// Opens the store, and writes the name of its fleet for the nodes.
    private func openStore(in directory: RunDirectory) throws -> Store {
        let named = try directory.fleetName()
        let store = try Store(path: directory.storeFile, durability: durability, fleet: named)
        if let named, named != store.fleet {
            throw StorageError.damaged(
                path: directory.storeFile,
                what: "it is of another fleet than \(directory)/\(RunFile.fleetName.rawValue)")
        }
        if named == nil { try directory.record(store.fleet) }
        return store
    }

    /// Opens the journal of an epoch; nil if requests are not stored.
    private func openJournal(
        in directory: RunDirectory, of epoch: Epoch, with store: Store, at now: WallTime,
        into replay: inout JournalReplay
    ) throws -> Journal<SegmentFiles>? {
        guard durability != .none else {
            try store.recordSegment(0, of: epoch)
            return nil
        }
        let files = try SegmentFiles(
            directory: directory.journalDirectory, epoch: epoch, durability: durability, store: store)
        return try Journal(files, at: now, into: &replay)
    }
}

/// The command of the process that authenticates users and executes their requests.
@main
struct ControllerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controller",
        abstract: "Authenticate users and execute their requests, each at most once.",
        discussion: """
            `fleet up` starts it; `fleet doctor` reads its versions.

            EXAMPLES
              controller serve --run-dir /tmp/lab --demo-account
            """,
        version: Versions.text,
        subcommands: [Serve.self, BackUp.self])

    static func main() { runAsMain() }
}
