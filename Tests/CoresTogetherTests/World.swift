import ControllerCore
import DeviceCore
import FleetProtocol
import Stepping

/// A controller, its nodes and its clients with a network between them, all in one virtual time.
///
/// Whatever happens follows from the seed. The ledger sees every effect as it is made.
final class World {
    enum Event {
        case arrival(Parcel)
        case controllerTurn
        case nodeTurn(Int)
        case acts(Int)
        case mishap
        case revival(Int)
    }

    static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    static let accounts = [AccountID("demo"), AccountID("other")].compactMap { $0 }

    var now = World.start
    var events = Timers<Event>()
    var generator: SeededGenerator
    var weather: Weather
    var controller: Controller
    var controllerFrozenUntil = MonotonicTime.zero
    var controllerWakesAt = MonotonicTime.never
    var hosts: [Host] = []
    var customers: [Customer] = []
    /// What clients have asked for, or thought of asking for, account by account.
    var asked: [AccountID: [Command]] = [:]
    var ledger = Ledger()
    var correlation: UInt64 = 0
    var connections: UInt64 = 100
    var isHealed = false
    var steps = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        weather = Weather(using: &generator)
        var sessions: [ControllerConfiguration.OpenSession] = []
        var users: [ControllerConfiguration.User] = []
        for index in 0..<4 {
            let account = Self.accounts[index == 3 ? 1 : 0]
            guard let email = Email("client-\(index)@sensibus.local"),
                let digest = TokenDigest([UInt8](repeating: UInt8(index), count: 32))
            else { preconditionFailure("client \(index) has no name") }
            let session = Session(account: account, email: email, role: .member, isOperator: false)
            users.append(ControllerConfiguration.User(session: session, passwordHash: ""))
            sessions.append(.init(digest: digest, email: email, openedAt: Self.start.wall))
            customers.append(
                Customer(
                    connection: ConnectionID(high: 1, low: UInt64(index)), account: account, digest: digest))
        }
        let configuration = ControllerConfiguration(
            epoch: Epoch(7), users: users, sessions: sessions, seed: seed)
        controller = Controller(configuration, at: now)
        for index in 0..<3 { addHost(index) }
        for index in customers.indices { events.set(.acts(index), at: .zero.advanced(by: .milliseconds(20))) }
        events.set(.mishap, at: .zero.advanced(by: .milliseconds(100)))
        scheduleController()
    }

    /// Two nodes of the first account and one of the second, two devices each.
    private func addHost(_ index: Int) {
        guard let name = NodeName("node-\(index)") else { preconditionFailure("node \(index) has no name") }
        let configuration = NodeConfiguration(
            name: name, account: Self.accounts[index == 2 ? 1 : 0], devices: 2,
            firstIndex: UInt64(index * 2), seed: 1)
        hosts.append(Host(configuration: configuration, node: nil, connection: freshConnection()))
        revive(index)
        for row in hosts[index].node?.truth ?? [] { ledger.owners[row.device] = configuration.account }
    }

    func freshConnection() -> ConnectionID {
        connections += 1
        return ConnectionID(high: 2, low: connections)
    }

    /// Lets everything happen that is due until then.
    func run(until end: Duration) {
        let end = MonotonicTime.zero.advanced(by: end)
        while let due = events.nextDue, due <= end {
            now = Self.start.advanced(by: MonotonicTime.zero.duration(to: max(due, now.monotonic)))
            guard let event = events.popDue(at: now.monotonic) else { return }
            steps += 1
            happen(event)
        }
        now = Self.start.advanced(by: MonotonicTime.zero.duration(to: end))
    }

    private func happen(_ event: Event) {
        switch event {
        case .arrival(let parcel): arrive(parcel)
        case .controllerTurn: controllerTurn()
        case .nodeTurn(let index): nodeTurn(index)
        case .acts(let index): act(index)
        case .mishap: causeMishap()
        case .revival(let index): revive(index)
        }
    }

    func stepController(_ input: Controller.Input) {
        var effects: [Controller.Effect] = []
        controller.step(input, at: now, into: &effects)
        ledger.note(effects, customers: customers, at: now)
        for effect in effects {
            guard case .send(let connection, let message) = effect else { continue }
            guard let index = hosts.firstIndex(where: { $0.connection == connection }) else { continue }
            post(.toNode(index, connection, message))
        }
        scheduleController()
    }

    private func scheduleController() {
        guard let due = controller.nextDue else { return }
        let wanted = max(due, now.monotonic.advanced(by: .microseconds(100)))
        guard wanted < controllerWakesAt else { return }
        controllerWakesAt = wanted
        events.set(.controllerTurn, at: wanted)
    }

    private func controllerTurn() {
        guard controllerWakesAt <= now.monotonic else { return }
        guard controllerFrozenUntil <= now.monotonic else {
            // What came meanwhile is heard first, as from sockets that are drained before a turn.
            controllerWakesAt = controllerFrozenUntil.advanced(by: .nanoseconds(1))
            return events.set(.controllerTurn, at: controllerWakesAt)
        }
        controllerWakesAt = .never
        stepController(.turn(lastTook: .zero))
    }

    func stepNode(_ index: Int, _ input: Node.Input) {
        guard let bootID = hosts[index].node?.bootID else { return }
        var effects: [Node.Effect] = []
        hosts[index].node?.step(input, at: now, into: &effects)
        guard remember(effects, at: index) else { return }
        ledger.note(effects)
        var rows: [DeviceRow] = []
        for effect in effects {
            switch effect {
            case .remember: break
            case .send(let message): post(.fromNode(index, hosts[index].connection, message))
            case .publish(let row): rows.append(row)
            }
        }
        if !rows.isEmpty { post(.telemetry(index, Telemetry(bootID: bootID, rows: rows))) }
        scheduleNode(index)
    }

    /// Writes to a host's file what is to be remembered; false when the process died over it.
    private func remember(_ effects: [Node.Effect], at index: Int) -> Bool {
        var writer = MemoryWriter()
        for case .remember(let entry) in effects { writer.put(entry) }
        writer.endFrame()
        guard let revival = hosts[index].diesWritingUntil, !writer.bytes.isEmpty else {
            hosts[index].file += writer.bytes
            return true
        }
        let written = Int.random(in: 0...writer.bytes.count, using: &generator)
        hosts[index].file += writer.bytes[..<written]
        // What is whole in the file has happened, though nobody has heard of it.
        if written == writer.bytes.count { ledger.note(effects) }
        ledger.seen.insert(written == writer.bytes.count ? "dead unheard" : "torn")
        kill(index, until: revival)
        return false
    }

    private func scheduleNode(_ index: Int) {
        guard let due = hosts[index].node?.nextDue else { return }
        let wanted = max(due, now.monotonic)
        guard wanted < hosts[index].wakesAt else { return }
        hosts[index].wakesAt = wanted
        events.set(.nodeTurn(index), at: wanted)
    }

    private func nodeTurn(_ index: Int) {
        guard hosts[index].wakesAt <= now.monotonic else { return }
        guard hosts[index].frozenUntil <= now.monotonic else {
            hosts[index].wakesAt = hosts[index].frozenUntil
            return events.set(.nodeTurn(index), at: hosts[index].wakesAt)
        }
        hosts[index].wakesAt = .never
        stepNode(index, .turn)
    }

    /// A node's process starts; now and then somebody has removed the file of its memory.
    func revive(_ index: Int) {
        guard hosts[index].node == nil else { return }
        if Int.random(in: 0..<8, using: &generator) == 0 { hosts[index].file = MemoryWriter.header }
        let memory = replay(of: hosts[index].file)
        let node = Node(
            hosts[index].configuration, bootID: BootID(bits: generator.next()), memory: memory,
            incarnations: SeededGenerator(seed: generator.next()), at: now)
        hosts[index].node = node
        hosts[index].connection = freshConnection()
        (hosts[index].frozenUntil, hosts[index].wakesAt) = (.zero, .never)
        hosts[index].diesWritingUntil = nil
        writeAnew(index, node)
        ledger.seen.insert(memory.deviceCount > 0 ? "remembered" : "forgotten")
        for row in node.truth {
            ledger.begin(row)
            if let known = memory[row.device], known.incarnation != row.reported.incarnation {
                ledger.violate("\(row.device) was remembered, and is new")
            }
        }
        stepNode(index, .connected)
    }

    private func replay(of file: [UInt8]) -> NodeMemory {
        var replay = MemoryReplay()
        do {
            try replay.take(file[...])
            _ = try replay.finish()
        } catch {
            ledger.violate("a memory is refused: \(error)")
        }
        return replay.memory
    }

    private func writeAnew(_ index: Int, _ node: Node) {
        var writer = MemoryWriter()
        node.putMemories(of: 0..<node.deviceCount, into: &writer)
        writer.endFrame()
        hosts[index].file = MemoryWriter.header + writer.bytes
    }
}
