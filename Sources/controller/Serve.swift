import ArgumentParser
import Bus
import ControllerCore
import FleetProtocol
import Glibc
import Logging
import Runtime
import Stepping

/// `controller serve`: opens the store, binds the sockets, and runs until it is asked to end.
struct Serve: ParsableCommand {
    /// How long the loop's waits stay awake: about as long as a node takes to answer a command.
    private static let busyPoll: Duration = .microseconds(100)

    static let configuration = CommandConfiguration(
        abstract: "Serves the fleet of one run directory until SIGINT or SIGTERM.",
        discussion: """
            EXAMPLES
              controller serve
              controller serve --run-dir /tmp/lab --demo-account
            """)

    @Option(help: "The run directory, with the sockets and the store.")
    var runDir = RunDirectory.defaultName

    @Flag(help: "Make the account `demo` with a random password, if there is no user yet.")
    var demoAccount = false

    @Option(
        help: """
            What requests and their ends outlive: none (nothing), process (the death of any process), or \
            power (loss of power, too).
            """,
        transform: Durability.named)
    var durability: Durability = .process

    @Option(help: "End when this process is no longer the parent.")
    var supervisorPid: Int32?

    @Option(help: "What to log: \(Logs.levelNames).", transform: Logs.level(named:))
    var logLevel: Logger.Level = .info

    func run() throws {
        // The store's files, as everything in the run directory, are their owner's alone.
        umask(0o077)
        let signals = try StopSignals()
        Logs.bootstrap(process: "controller", level: logLevel)
        let logger = Logger(label: "controller")
        let directory = RunDirectory(path: runDir)
        try directory.create(environment: Environment.current)
        let lock = try FileLock(path: directory.lockFile(for: "controller"))
        defer { lock.close() }
        let clock = SystemClock()
        let store = try Store(path: directory.storeFile, durability: durability)
        let epoch = try store.beginEpoch(at: clock.now().wall)
        var replay = JournalReplay()
        let journal = try openJournal(in: directory, of: epoch, with: store, into: &replay)
        let unread = journal?.unread
        let context = try Context()
        defer { context.terminate() }
        let accounts = try PasswordHasher(context: context)
        if demoAccount, try store.users().isEmpty {
            try DemoAccount(directory: directory).make(in: store, with: accounts, at: clock.now().wall)
        }
        var configuration = ControllerConfiguration(
            epoch: epoch, users: try store.users(), sessions: try store.sessions(), seed: epoch.value)
        configuration.loginFailures = try store.loginFailures()
        configuration.keys = try store.keys()
        configuration.logbooks = try store.logbooks()
        configuration.sites = try store.sites()
        let loop = try Loop(name: "controller", context: context)
        loop.busyPoll(upTo: Self.busyPoll)
        let reader = SegmentReader(directory: directory.journalDirectory, durability: durability)
        let (open, ended) = (replay.openCount, replay.endedCount)
        let server = try Server(
            controller: Controller(
                configuration, recovering: consume replay, awaiting: try store.nodes(), at: clock.now()),
            epoch: epoch, journal: journal, store: store, hasher: accounts, reader: reader,
            directory: directory, loop: loop, clock: clock, logger: logger)
        loop.register(fileDescriptor: signals.fileDescriptor) {
            guard let signal = signals.read() else { return }
            logger.info("ending", metadata: ["signal": "\(signal)"])
            loop.stop()
        }
        server.serve(watching: ParentWatch(expectedParent: supervisorPid))
        logger.info(
            "serving",
            metadata: [
                "epoch": "\(epoch)", "runDir": "\(directory)", "durability": "\(durability)",
                "open": "\(open)", "ended": "\(ended)", "segmentsToRead": "\(unread?.numbers.count ?? 0)",
            ])
        if let unread { reader.read(unread) { loop.perform {} } }
        loop.run()
        try server.end()
    }

    /// The journal of an epoch that is stored; nil when nothing is to be kept of requests.
    private func openJournal(
        in directory: RunDirectory, of epoch: Epoch, with store: Store, into replay: inout JournalReplay
    ) throws -> Journal<SegmentFiles>? {
        guard durability != .none else { return nil }
        let files = try SegmentFiles(
            directory: directory.journalDirectory, epoch: epoch, durability: durability, store: store)
        let shortest = ControllerConfiguration.Retention().shortest
        return try Journal(files, shortest: shortest, into: &replay)
    }
}
