import ControllerCore
import DeviceCore
import FleetProtocol
import FleetReplica
import FleetTime
import PlantedBugs

/// A controller, its nodes, clients and observers with a network between them, all in one virtual time.
///
/// Whatever happens follows from the seed. The ledger sees every effect as it leaves, and every entry as it
/// is kept.
struct World {
    /// Who has a connection to the controller.
    enum Party: Hashable {
        case host(Int)
        case customer(Int)
        case watcher(Int)
        case stream(Int)
    }

    enum Event {
        /// Of the parcel in that place of the shelf: the heap of events moves what it holds, and a parcel is
        /// large.
        case arrival(Int)
        case start
        case takeover
        case controllerTurn(Int)
        case recall(life: Int, place: Int)
        case connect(Party)
        case subscribe(Int, life: Int)
        case nodeTurn(Int)
        case watcherTick(Int)
        case acts(Int)
        case mishap
        case partition
        case clog(Party, until: MonotonicTime)
        case clockStep
        case revival(Int)
        case scripts
    }

    static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    static let accounts = [AccountID("demo"), AccountID("other")].compactMap { $0 }

    var now = World.start
    var events = Agenda<Event>()
    /// What is on its way.
    var parcels = Shelf<Parcel>()
    var generator: SeededGenerator
    /// Of cuts, clogs and clocks alone.
    var partitions: SeededGenerator
    /// Of what devices are set to do by themselves.
    var chores: SeededGenerator
    /// Of sequences alone.
    var scripts: SeededGenerator
    /// Of older copies of memories.
    var copies: SeededGenerator
    var weather: Weather
    let hazards: Hazards
    let disk = Disk()
    /// The controller's lives that have not ended; more than one only while a second has started.
    var lives = Lives()
    var newest = 0
    /// The disk as a second controller saw it a moment before it stored its epoch.
    var glimpse: [Disk.Segment] = []
    var hosts = Roster<Host>()
    var customers = Roster<Customer>()
    var watchers = Roster<Watcher>()
    /// Whose each connection is, or was.
    var parties = Book<ConnectionID, Party>()
    /// Have room for what a node and a replica decide in one step.
    var nodeEffects: [Node.Effect] = []
    var watcherEffects: [Replica.Effect] = []
    /// What clients have asked for, or thought of asking for, account by account.
    var asked = [[Command]](repeating: [], count: accounts.count)
    /// The sequences that clients have started, or tried to, account by account.
    var started = [[(id: RequestID, plan: SequencePlan)]](repeating: [], count: accounts.count)
    var ledger = Ledger()
    var correlation: UInt64 = 0
    var connections: UInt64 = 100
    var isHealed = false
    var steps = 0
    var faults = 0
    var trace: ((Moment, String) -> Void)?
    private var users: [ControllerConfiguration.User] = []
    private var sessions: [ControllerConfiguration.OpenSession] = []
    let planted: Planting
    private let seed: UInt64

    init(seed: UInt64, planting bug: PlantedBug? = nil, trace: ((Moment, String) -> Void)? = nil) {
        self.seed = seed
        planted = Planting(bug)
        self.trace = trace
        generator = SeededGenerator(seed: seed)
        weather = Weather(using: &generator)
        partitions = SeededGenerator.derived(seed: seed, purpose: 1)
        chores = SeededGenerator.derived(seed: seed, purpose: 2)
        scripts = SeededGenerator.derived(seed: seed, purpose: 3)
        copies = SeededGenerator.derived(seed: seed, purpose: 4)
        hazards = Hazards(using: &generator, others: &partitions, scripts: &scripts, copies: &copies)
        for index in 0..<6 { addPerson(index) }
        ledger.clocksAreRight = !hazards.wrongClocks
        ledger.forgetsSoon = hazards.shortMemory
        startController()
        for index in 0..<3 { addHost(index) }
        for index in customers.indices {
            connect(.customer(index))
            events.set(.acts(index), at: .zero.advanced(by: .milliseconds(20)))
        }
        for index in watchers.indices {
            connect(.watcher(index))
            connect(.stream(index))
            events.set(.watcherTick(index), at: .zero.advanced(by: .milliseconds(index)))
        }
        events.set(.mishap, at: .zero.advanced(by: .milliseconds(100)))
        if hazards.partitionEvery != nil {
            events.set(.partition, at: .zero.advanced(by: .milliseconds(150)))
        }
        if hazards.sequences { events.set(.scripts, at: .zero.advanced(by: .milliseconds(120))) }
        if hazards.wrongClocks { events.set(.clockStep, at: .zero.advanced(by: .milliseconds(700))) }
    }

    /// Four clients, the last of another account, and an observer of each account.
    private mutating func addPerson(_ index: Int) {
        let account = Self.accounts[index == 3 || index == 5 ? 1 : 0]
        guard let email = Email("client-\(index)@sensibus.local"),
            let digest = TokenDigest([UInt8](repeating: UInt8(index), count: 32))
        else { preconditionFailure("client \(index) has no name") }
        let session = Session(account: account, email: email, role: .member, isOperator: false)
        users.append(ControllerConfiguration.User(session: session, passwordHash: ""))
        sessions.append(.init(digest: digest, email: email, openedAt: Self.start.wall))
        if index < 4 {
            let clockError = hazards.clientClockError(using: &partitions)
            customers.append(
                Customer(
                    connection: freshConnection(), account: account, digest: digest, clockError: clockError))
        } else {
            let replica = Replica(random: SeededGenerator(seed: generator.next()), planted: planted)
            watchers.append(
                Watcher(
                    account: account, digest: digest, replica: replica, connection: freshConnection()))
        }
    }

    /// Two nodes of the first account and one of the second, two devices each.
    private mutating func addHost(_ index: Int) {
        guard let name = NodeName("node-\(index)") else { preconditionFailure("node \(index) has no name") }
        var configuration = NodeConfiguration(
            name: name, account: Self.accounts[index == 2 ? 1 : 0], devices: Host.devices,
            firstIndex: UInt64(index * Host.devices), seed: 1, zones: SimulatedZones())
        configuration.planted = planted
        hosts.append(Host(configuration: configuration, connection: freshConnection()))
        revive(index)
        for row in hosts[index].node?.truth ?? [] { ledger.knows(row.device, of: configuration.account) }
    }

    /// What each life of the controller starts from, beside its journal.
    func configuration(of epoch: Epoch) -> ControllerConfiguration {
        var configuration = ControllerConfiguration(
            epoch: epoch, users: users, sessions: sessions, seed: seed &+ epoch.value)
        configuration.planted = planted
        configuration.sequences = disk.sequences
        if hazards.tightBounds { configuration.requestsInFlight = hazards.bound }
        if hazards.shortMemory {
            configuration.retention.shortest = .seconds(1)
            configuration.retention.results = 10
            configuration.retention.tombstones = 10
            configuration.retention.forgottenInJournal = 10
        }
        return configuration
    }

    mutating func freshConnection() -> ConnectionID {
        connections += 1
        return ConnectionID(high: 2, low: connections)
    }

    func tell(_ what: @autoclosure () -> String) {
        trace?(now, what())
    }

    /// Lets everything happen that is due until then.
    mutating func run(until end: Duration) {
        let end = MonotonicTime.zero.advanced(by: end)
        while let (event, due) = events.popEarliest(until: end) {
            setClock(to: max(due, now.monotonic))
            steps += 1
            happen(event)
        }
        setClock(to: end)
    }

    private mutating func setClock(to time: MonotonicTime) {
        let elapsed = time.nanoseconds / 1_000_000
        now = Moment(
            monotonic: time,
            wall: WallTime(unixMilliseconds: Self.start.wall.unixMilliseconds + elapsed))
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .arrival(let place): arrive(place)
        case .start: startController()
        case .takeover: beginLife()
        case .controllerTurn(let life): controllerTurn(life)
        case .recall(let life, let place): recall(place, of: life)
        case .connect(let party): connect(party)
        case .subscribe(let index, let life): subscribe(index, to: life)
        case .nodeTurn(let index): nodeTurn(index)
        case .watcherTick(let index): tick(index)
        case .acts(let index): act(index)
        case .mishap: causeMishap()
        case .partition: causePartition()
        case .clog(let party, let end): clog(party, until: end)
        case .clockStep: stepClock()
        case .revival(let index): revive(index)
        case .scripts: actOnSequences()
        }
    }
}
