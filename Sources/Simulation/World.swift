import ControllerCore
import DeviceCore
import FleetProtocol
import FleetReplica

/// Controller processes, nodes, clients and observers with a network between them, in one virtual time.
/// Everything follows from the seed. The world routes events to the parts and their effects to the network;
/// the ledger records each effect when it leaves, and each change when it is committed.
struct World {
    /// An event has no references, so that the queue moves it as bytes: packets and passwords stay in slots.
    enum Event {
        case arrival(slot: Int)
        case controllerStart
        case takeover
        case controllerTurn(Int)
        case segmentReplay(controller: Int, index: Int)
        case passwordChecked(controller: Int, slot: Int)
        case passwordHashed(controller: Int, slot: Int)
        case connect(Party)
        case subscribe(Int, controller: Int)
        case nodeStart(Int)
        case nodeTurn(Int)
        case observerTick(Int)
        case clientTurn(Int)
        case accountClientTurn(Int)
        case commandQueueTurn
        case fault
        case partition
        case clog(Party, until: MonotonicTime)
        case clockStep
    }

    static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    var events = EventQueue<Event>(from: World.start)
    var random: RandomSources
    let faults: FaultConfiguration
    var network: Network
    let disk: Disk
    var controllers = ControllerProcesses()
    var nodes = InPlaceArray<NodeProcess>()
    var clients: Clients
    var observers = InPlaceArray<Observer>()
    var ledger: Ledger
    var isHealed = false
    /// The faults of processes, disks and clocks.
    var processFaults = 0
    var twin: Twin?
    let planted: Planting
    private let seed: UInt64
    private let trace: ((Moment, String) -> Void)?

    init(
        seed: UInt64, hasAccountClients: Bool?, planting bug: PlantedBug? = nil,
        trace: ((Moment, String) -> Void)? = nil
    ) {
        self.seed = seed
        planted = Planting(bug)
        self.trace = trace
        var random = RandomSources(seed: seed)
        network = Network(faults: NetworkFaults(using: &random.main))
        faults = FaultConfiguration(using: &random, accountClients: hasAccountClients)
        clients = Clients(faults, &network, &random)
        for account in Clients.accounts {
            let replica = Replica(random: SeededGenerator(seed: random.main.next()), planted: planted)
            let digest = clients.addSession(of: account)
            let connection = network.newConnection()
            network.addLink(of: .observer(observers.count))
            observers.append(
                Observer(
                    account: account, digest: digest, replica: replica, connection: connection,
                    hasCopies: faults.twin?.sharesMemory == false))
        }
        if faults.roleChanges { clients.addOperator() }
        disk = Disk(clients.records)
        ledger = Ledger(faults: faults, accounts: AccountHistory(users: clients.records.users))
        self.random = random
        startController()
        for index in 0..<3 { addNode(index) }
        addTwin()
        startClients()
        scheduleFaults()
    }

    /// Adds the process that will run beside the one of a node.
    private mutating func addTwin() {
        guard let twin = faults.twin else { return }
        self.twin = twin
        network.addLink(of: .node(Twin.index))
        nodes.append(
            NodeProcess(
                configuration: nodes[twin.original].configuration, connection: network.newConnection()))
        let pause = Int.random(in: 200...2_500, using: &random.twins)
        schedule(.nodeStart(Twin.index), after: .milliseconds(pause))
    }

    private mutating func startClients() {
        for index in 0..<Clients.commandClients {
            connect(.client(index))
            schedule(.clientTurn(index), after: .milliseconds(20))
        }
        for index in observers.indices {
            connect(.observer(index))
            connect(.stream(index))
            schedule(.observerTick(index), after: .milliseconds(index))
        }
    }

    private mutating func scheduleFaults() {
        schedule(.fault, after: .milliseconds(100))
        if faults.partitionInterval != nil { schedule(.partition, after: .milliseconds(150)) }
        if faults.commandQueues { schedule(.commandQueueTurn, after: .milliseconds(120)) }
        if faults.wrongClocks { schedule(.clockStep, after: .milliseconds(700)) }
        for index in clients.accountIndices {
            connect(.client(index))
            schedule(.accountClientTurn(index), after: .milliseconds(30))
        }
    }

    /// Adds two nodes of the first account and one of the second, with two devices each.
    private mutating func addNode(_ index: Int) {
        guard let name = NodeName("node-\(index)") else { preconditionFailure("node \(index) has no name") }
        var configuration = NodeConfiguration(
            name: name, account: Clients.accounts[index == 2 ? 1 : 0], devices: NodeProcess.devices,
            firstIndex: UInt64(index * NodeProcess.devices), seed: 1, zones: SimulatedZones())
        configuration.planted = planted
        network.addLink(of: .node(index))
        nodes.append(NodeProcess(configuration: configuration, connection: network.newConnection()))
        startNode(index)
        for slot in 0..<NodeProcess.devices {
            if let row = nodes[index].row(of: slot) { ledger.added(row.device, of: configuration.account) }
        }
    }

    /// The configuration of a controller process, without stored state.
    func configuration(of epoch: Epoch) -> ControllerConfiguration {
        var configuration = ControllerConfiguration(epoch: epoch, users: [], seed: seed &+ epoch.value)
        configuration.planted = planted
        configuration.selfService = SelfService(signsUp: true, resetsPasswords: true)
        if let bound = faults.requestsInFlight { configuration.requestsInFlight = bound }
        if faults.shortRetention {
            configuration.retention.shortest = .seconds(1)
            configuration.retention.results = 10
            configuration.retention.tombstones = 10
            configuration.retention.removedInJournal = 10
        }
        return configuration
    }

    var now: Moment { events.now }
    var faultCount: Int { processFaults + network.faultCount }

    func log(_ what: @autoclosure () -> String) { trace?(now, what()) }

    mutating func schedule(_ event: Event, after pause: Duration) { events.schedule(event, after: pause) }

    mutating func send(_ packet: consuming Packet) {
        network.send(packet, at: now.monotonic, using: &random.main, into: &events, &ledger.findings)
    }

    // MARK: Events

    /// Handles all events that are due by a time.
    mutating func run(until end: Duration) {
        let end = MonotonicTime.zero.advanced(by: end)
        while let event = events.next(until: end) { handle(event) }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .arrival(let slot): receive(network.receive(slot))
        case .controllerStart: startController()
        case .takeover: addController()
        case .controllerTurn(let number): controllerTurn(number)
        case .segmentReplay(let number, let index): replaySegment(index, by: number)
        case .passwordChecked(let number, _), .passwordHashed(let number, _):
            finishHashing(event, by: number)
        case .connect(let party): connect(party)
        case .subscribe(let index, let number): subscribe(index, to: number)
        case .nodeStart(let index): startNode(index)
        case .nodeTurn(let index): nodeTurn(index)
        case .observerTick(let index): tickObserver(index)
        case .clientTurn(let index): sendCommand(from: index)
        case .accountClientTurn(let index): sendAccountRequest(from: index)
        case .commandQueueTurn: useCommandQueues()
        case .fault: causeFault()
        case .partition: causePartition()
        case .clog(let party, let end): clog(party, until: end)
        case .clockStep: stepClock()
        }
    }
}
