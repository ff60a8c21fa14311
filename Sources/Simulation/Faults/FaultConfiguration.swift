import FleetProtocol

/// The kinds of faults and of load of a seed, in addition to those of the network.
struct FaultConfiguration {
    /// The probabilities that the controller dies in the middle of a batch.
    struct Deaths {
        /// Before all its effects are carried out.
        var amongEffects = 0.0
        /// Between the journal's part and the store's.
        var beforeStore = 0.0
    }

    private(set) var deaths = Deaths()
    private(set) var secondControllers = false
    private(set) var fullDisks = false
    /// Whether the controller's wall clock is wrong, and is set at each start and at run time.
    private(set) var wrongClocks = false
    private var wrongClientClocks = false
    private(set) var slowObservers = false
    /// Whether outcomes expire after seconds.
    private(set) var shortRetention = false
    /// The most requests in flight; nil for the usual bound.
    private(set) var requestsInFlight: Int?
    /// The factor by which clients send more requests than usual.
    private(set) var requestRate = 1
    private(set) var partitionInterval: Duration?
    private(set) var commandQueues = false
    /// Whether messages of nodes to a controller process that has ended reach the next one.
    private(set) var lateMessages = false
    /// Whether a node process starts with an older copy of its memory file at times. A controller that has
    /// just started cannot detect that, so no controller dies then.
    private(set) var oldCopies = false
    /// The second process of a node; nil for none.
    private(set) var twin: Twin?
    /// Whether users log in and out, and use keys and account services.
    private(set) var accountClients = false
    /// The size at which the journal begins another segment.
    private(set) var segmentBytes = 1 << 20

    /// Without `accountClients`, the seed decides whether there are some.
    init(using random: inout RandomSources, accountClients: Bool?) {
        if Bool.random(using: &random.main) {
            deaths.amongEffects = Double.random(in: 0.0005...0.01, using: &random.main)
        }
        secondControllers = Int.random(in: 0..<3, using: &random.main) == 0
        fullDisks = Int.random(in: 0..<3, using: &random.main) == 0
        wrongClocks = Int.random(in: 0..<4, using: &random.main) == 0
        slowObservers = Bool.random(using: &random.main)
        shortRetention = Int.random(in: 0..<4, using: &random.main) == 0
        let isBoundTight = Int.random(in: 0..<6, using: &random.main) == 0
        if Bool.random(using: &random.main) {
            segmentBytes = Int.random(in: 500...8_000, using: &random.main)
        }
        if Bool.random(using: &random.partitions) {
            partitionInterval = .milliseconds(Int.random(in: 150...1_500, using: &random.partitions))
        }
        wrongClientClocks = Int.random(in: 0..<4, using: &random.partitions) == 0
        let bound = Int.random(in: 1...3, using: &random.partitions)
        if isBoundTight { requestsInFlight = bound }
        if Int.random(in: 0..<4, using: &random.partitions) == 0 { requestRate = 8 }
        // A segment that is smaller than the open requests ends with each batch, which tests nothing new.
        segmentBytes = min(segmentBytes * requestRate, 1 << 20)
        commandQueues = Int.random(in: 0..<3, using: &random.commandQueues) == 0
        if commandQueues, Bool.random(using: &random.commandQueues) {
            deaths.beforeStore = Double.random(in: 0.01...0.1, using: &random.commandQueues)
        }
        lateMessages = Int.random(in: 0..<3, using: &random.commandQueues) == 0
        oldCopies = Int.random(in: 0..<8, using: &random.memoryCopies) == 0
        if oldCopies { (deaths, secondControllers) = (Deaths(), false) }
        if !oldCopies, Int.random(in: 0..<8, using: &random.twins) == 0 {
            twin = Twin(
                original: Int.random(in: 0..<3, using: &random.twins),
                sharesMemory: Bool.random(using: &random.twins))
        }
        let isChosen = Bool.random(using: &random.accounts)
        self.accountClients = accountClients ?? isChosen
    }

    /// Whether some clients become viewers at times, and members again.
    var roleChanges: Bool { commandQueues && lateMessages }

    /// Returns the error of a client's clock: seconds, or more than a controller accepts.
    func clientClockError(using random: inout SeededGenerator) -> Duration {
        guard wrongClientClocks else { return .zero }
        if Int.random(in: 0..<8, using: &random) == 0 { return Limits.idAhead + .seconds(60) }
        return .milliseconds(Int.random(in: -3_000...3_000, using: &random))
    }
}

/// A second process of a node, beside the original one: a clone with a copy of the memory file, or a process
/// that takes the file over.
struct Twin {
    /// The index of its process, behind those of the nodes.
    static let index = 3

    let original: Int
    let sharesMemory: Bool
    /// The process that has taken the shared file last.
    var holder: Int

    init(original: Int, sharesMemory: Bool) {
        (self.original, self.sharesMemory, holder) = (original, sharesMemory, original)
    }

    var processes: [Int] { [original, Self.index] }
}

/// The rates of packet faults of a run; some seeds have low ones.
struct NetworkFaults {
    /// The shares of packets that are lost, duplicated, and delayed for long.
    private let lost: Double
    private let duplicated: Double
    private let late: Double
    /// The share of telemetry that is lost in addition.
    let telemetryLost: Double
    private let longestDelay: Duration
    let faultInterval: Duration

    /// No loss, and a delay of up to a millisecond.
    static let none = NetworkFaults()

    private init() {
        (lost, duplicated, late, telemetryLost) = (0, 0, 0, 0)
        (longestDelay, faultInterval) = (.milliseconds(1), .seconds(3_600))
    }

    init(using generator: inout SeededGenerator) {
        lost = 0.15 * Double.random(in: 0...1, using: &generator)
        duplicated = Double.random(in: 0...0.15, using: &generator)
        late = Double.random(in: 0...0.15, using: &generator)
        telemetryLost = Bool.random(using: &generator) ? 0.5 : 0
        longestDelay = .milliseconds(Int.random(in: 50...2_500, using: &generator))
        faultInterval = .milliseconds(Int.random(in: 100...600, using: &generator))
    }

    /// The number of copies of a packet that arrive: 0 if it is lost, 2 if it is duplicated.
    func copies(using generator: inout SeededGenerator) -> Int {
        guard Double.random(in: 0..<1, using: &generator) >= lost else { return 0 }
        return Double.random(in: 0..<1, using: &generator) < duplicated ? 2 : 1
    }

    func isLate(using generator: inout SeededGenerator) -> Bool {
        Double.random(in: 0..<1, using: &generator) < late
    }

    /// The delay of a copy, in microseconds.
    func delay(isLate: Bool, using generator: inout SeededGenerator) -> Int64 {
        let longest = isLate ? longestDelay.wholeNanoseconds / 1_000 : 2_000
        return Int64.random(in: 200...longest, using: &generator)
    }
}

/// The random sources of a run, one for each kind of choice, so that an added kind does not change the others
/// for a seed.
struct RandomSources {
    /// For everything that has no source of its own.
    var main: SeededGenerator
    /// For partitions, clogged links and clock errors.
    var partitions: SeededGenerator
    /// For the changes of settings that clients request.
    var settings: SeededGenerator
    /// For command queues and deaths between journal and store.
    var commandQueues: SeededGenerator
    var memoryCopies: SeededGenerator
    /// For older copies of the controller's files.
    var files: SeededGenerator
    var accounts: SeededGenerator
    var roles: SeededGenerator
    /// For second processes of a node.
    var twins: SeededGenerator

    init(seed: UInt64) {
        main = SeededGenerator(seed: seed)
        partitions = .derived(seed: seed, purpose: 1)
        settings = .derived(seed: seed, purpose: 2)
        commandQueues = .derived(seed: seed, purpose: 3)
        memoryCopies = .derived(seed: seed, purpose: 4)
        accounts = .derived(seed: seed, purpose: 5)
        roles = .derived(seed: seed, purpose: 9)
        files = .derived(seed: seed, purpose: 6)
        twins = .derived(seed: seed, purpose: 7)
    }
}
