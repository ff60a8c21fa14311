import Bus
import ControllerCore
import FleetProtocol
import Logging
import ProcessSupport

/// The steps between a locked run directory and a controller that serves: storage, configuration, sockets,
/// server.
struct Startup {
    /// The limit of the loop's busy polling: about the time in which a node answers a command.
    private static let busyPoll: Duration = .microseconds(100)

    let options: Serve
    let directory: RunDirectory
    let listen: NetworkAddress?
    let cell: (own: OwnCell, secret: CellSecret)?
    let clock: SystemClock
    let logger: Logger

    func serve(until signals: StopSignals) throws -> Bool {
        let descriptors = try DescriptorLimit.raise(needing: ControllerSockets.neededDescriptors)
        if options.durability == .power { checkStorage() }
        let store = try openStore()
        let epoch = try store.beginEpoch(at: clock.now().wall)
        var replay = JournalReplay()
        let journal = try openJournal(of: epoch, with: store, into: &replay)
        let unread = journal?.unread
        let context = try Context(ioThreads: listen == nil ? 1 : NetworkServer.ioThreads)
        defer { context.terminate() }
        let hasher = try PasswordHasher(context: context)
        let outbox = try outboxWay.map { try Outbox($0, clock: clock, logger: logger) }
        let configuration = try configuration(of: epoch, in: store, resetsPasswords: outbox != nil)
        let loop = try Loop(name: "controller", context: context)
        loop.busyPoll(upTo: Self.busyPoll)
        let reader = SegmentReader(directory: directory.journalDirectory)
        let (open, ended) = (replay.openCount, replay.endedCount)
        let controller = try controller(configuration, recovering: consume replay, from: store)
        let sockets = try bindSockets(within: descriptors, on: loop, context)
        let server = try Server(
            controller: controller,
            journal: journal, store: store, hasher: hasher, outbox: outbox,
            gate: NodeGate(secret: try directory.nodeSecret()), reader: reader, sockets: sockets.own,
            network: sockets.network, cells: sockets.cells, directory: directory, loop: loop, clock: clock,
            logger: logger)
        loop.register(fileDescriptor: signals.fileDescriptor) {
            guard let signal = signals.read() else { return }
            logger.info("stopping", metadata: ["signal": "\(signal)"])
            loop.stop()
        }
        let watch = MemoryWatch(options.memory.memoryLimit, on: loop) { _ in loop.stop() }
        try watch.begin()
        let parent = ParentWatch(expectedParent: options.supervisorPid)
        try server.serve(watching: parent)
        directory.recordService(of: "controller", under: parent, logger)
        let retained = options.retained
        logger.info(
            "serving",
            metadata: [
                "epoch": "\(epoch)", "runDir": "\(directory)", "durability": "\(options.durability)",
                "retention": "\(retained.retention)", "retentionResults": "\(retained.retentionResults)",
                "memoryLimit": "\(options.memory.memoryLimit.argument)",
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
    private func checkStorage() {
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

    /// Opens the store, and writes the name of its fleet for the nodes.
    private func openStore() throws -> Store {
        let named = try directory.fleetName()
        let store = try Store(path: directory.storeFile, durability: options.durability, fleet: named)
        if let named, named != store.fleet {
            throw StorageError.damaged(
                path: directory.storeFile,
                what: "it is of another fleet than \(directory)/\(RunFile.fleetName.rawValue)")
        }
        if named == nil { try directory.record(store.fleet) }
        return store
    }

    private func openJournal(
        of epoch: Epoch, with store: Store, into replay: inout JournalReplay
    ) throws -> Journal<SegmentFiles>? {
        guard options.durability != .none else {
            try store.recordSegment(0, of: epoch)
            return nil
        }
        let files = try SegmentFiles(
            directory: directory.journalDirectory, epoch: epoch, durability: options.durability, store: store)
        let journal = try Journal(files, at: clock.now().wall, into: &replay)
        if let lostUpTo = journal.lostUpTo {
            logger.warning(
                "power may have been lost: unknown requests up to this time are refused",
                metadata: ["upToMs": "\(lostUpTo.unixMilliseconds)"])
        }
        return journal
    }

    /// What the store and the options say, with the demo account if it is asked for and missing.
    private func configuration(
        of epoch: Epoch, in store: Store, resetsPasswords: Bool
    ) throws -> ControllerConfiguration {
        let moves = try store.moves()
        if options.demoAccount, try store.users().isEmpty, moves.departed[directory.demo.account] == nil {
            try DemoAccount(names: directory.demo, cell: cell?.own.name, directory: directory).make(
                in: store, at: clock.now().wall)
        }
        var configuration = ControllerConfiguration(
            epoch: epoch, users: try store.users(), sessions: try store.sessions(), seed: epoch.value)
        configuration.retention.longest = options.retained.retention
        configuration.retention.results = options.retained.retentionResults
        configuration.loginFailures = try store.loginFailures()
        configuration.keys = try store.keys()
        configuration.passwordResets = try store.passwordResets()
        configuration.signUpsWholeAt = try store.signUpsWholeAt()
        configuration.selfService = SelfService(
            signsUp: options.allowsSignUp, resetsPasswords: resetsPasswords)
        configuration.records = try store.serviceRecords()
        let storesRequests = options.durability != .none
        configuration.restoresRequests = try store.restoresCommands(
            isJournalled: storesRequests, isCommandOpen: configuration.records.hasOpenCommand)
        configuration.isOnDutyOnly = options.onDutyOnly
        if let (own, secret) = cell {
            let list = try own.readList(orCopyIn: directory) { error in
                logger.error(
                    "the list of cells cannot be read; its last copy is used",
                    metadata: ["reason": "\(error)"])
            }
            configuration.cells = CellConfiguration(
                own, in: list, with: secret, moves, storesRequests: storesRequests)
        }
        return configuration
    }

    private func controller(
        _ configuration: ControllerConfiguration, recovering replay: consuming JournalReplay,
        from store: Store
    ) throws -> Controller {
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
        return controller
    }

    /// Binds the sockets of the network before all others, so that no peer is admitted without a decision.
    private func bindSockets(
        within descriptors: Int, on loop: Loop, _ context: Context
    ) throws -> (own: ControllerSockets, network: NetworkServer?, cells: CellLinks?) {
        let connections = ControllerSockets.connections(within: listen == nil ? descriptors : descriptors / 2)
        let network = try listen.map {
            try NetworkServer(at: $0, in: directory, connections: connections, loop: loop, logger: logger)
        }
        let links = try cell.map { own, secret in
            try CellLinks(of: own, presenting: secret.token, in: directory, on: loop, logger: logger)
        }
        try directory.record(networkAddress: listen)
        let sockets = try ControllerSockets(connections: connections, context: context) { socket in
            SocketPlace(endpoint: try directory.endpoint(socket))
        }
        return (sockets, network, links)
    }

    /// The target of messages to users; nil without one.
    private var outboxWay: Outbox.Way? {
        if let outbox = options.messages.outbox { return .directory(outbox) }
        let parts = (options.messages.outboxCommand ?? "").split(separator: " ").map(String.init)
        return parts.first.map { .command(executable: $0, arguments: Array(parts.dropFirst())) }
    }
}
