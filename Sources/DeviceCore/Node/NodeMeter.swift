public import FleetProtocol
public import Stepping

/// What a node's process counts, and when it tells.
///
/// It is told what comes and what leaves, by the shell that knows both: a few additions a command, none of
/// them among the node's rules.
public struct NodeMeter: Sendable {
    /// What was counted so far.
    public private(set) var counters = NodeCounters()
    /// When the first of those commands came whose answers have not left; nil while nothing waits.
    private var waitingSince: MonotonicTime?
    /// When this turn of the loop began; nil between two.
    private var turnBegan: MonotonicTime?
    private var longestTurn: Duration = .zero
    /// Whether the last sign of life had counters with it.
    private var hasTold = false

    /// Nothing was counted.
    public init() {}

    /// The node is told something.
    public mutating func begin(_ input: Node.Input, at now: MonotonicTime) {
        turnBegan = turnBegan ?? now
        waitingSince = waitingSince ?? now
        guard case .controller(let message) = input else { return }
        switch message.body {
        case .command, .configure: counters.commands &+= 1
        case .pong, .pull, .abort, .fault, .taken, .heal, .scenario, .retire, .listFaults, .renew: break
        }
    }

    /// A message of the controller was refused.
    public mutating func noteRefused() {
        counters.refusedMessages &+= 1
    }

    /// All of this leaves now.
    ///
    /// A command, or an abort, has taken as long as its device had it, and then waited for what came with it
    /// and for the memory. What came first in a turn waited longest: the others count as if they had, too.
    public mutating func end(_ effects: [Node.Effect], at now: MonotonicTime) {
        let waited = UInt64((waitingSince ?? now).duration(to: now).wholeMicroseconds)
        waitingSince = nil
        for effect in effects {
            switch effect {
            case .send(let message):
                if case .result(let result) = message.body { note(result, waited: waited) }
            case .publish: counters.publishedRows &+= 1
            case .measured(let devices): counters.publishedMeasurements &+= UInt64(devices.count)
            case .remember: counters.rememberedEntries &+= 1
            case .crash, .readScenario: break
            }
        }
    }

    private mutating func note(_ result: CommandResult, waited: UInt64) {
        counters[result.verdict.kind] &+= 1
        counters.commandTime.note(us: result.deviceUs &+ waited)
    }

    /// The loop's turn is over.
    public mutating func endTurn(at now: MonotonicTime) {
        longestTurn = max(longestTurn, turnBegan.map { $0.duration(to: now) } ?? .zero)
        turnBegan = nil
    }

    /// What a sign of life tells: all that was counted, with each second of them; nil with the others.
    ///
    /// They are ``Limits/beatInterval`` apart, so it tells once in twice that time at most.
    ///
    /// - Parameters:
    ///   - memoryBytes: How long the file is in which devices remember.
    ///   - timers: How many are set.
    public mutating func tell(memoryBytes: Int, timers: Int) -> NodeCounters? {
        hasTold.toggle()
        guard hasTold else { return nil }
        counters.memoryBytes = UInt64(memoryBytes)
        counters.timers = UInt32(clamping: timers)
        counters.longestTurnUs = UInt64(longestTurn.wholeMicroseconds)
        longestTurn = .zero
        return counters
    }
}

/// Which devices a node hosts, for whom, and what they go through.
public struct NodeConfiguration: Sendable {
    /// The node's name.
    public let name: NodeName
    /// Who owns its devices.
    public let account: AccountID
    /// How many devices, 1 to ``Limits/nodeDevices``.
    public let devices: Int
    /// The index, over the whole fleet, of its first device.
    public let firstIndex: UInt64
    /// The fleet's seed: ids, names and events follow from it.
    public let seed: UInt64
    /// What happens by itself.
    public internal(set) var scenario: Scenario
    /// How far east of UTC clocks are, for schedules.
    public let zones: any ZoneOffsets
    /// The proof that it may host them; nil in tests of the cores.
    public var grant: NodeGrant?
    /// The mistake that a simulation plants.
    public var planted = Planting()

    /// The configuration of those values.
    public init(
        name: NodeName, account: AccountID, devices: Int, firstIndex: UInt64 = 0, seed: UInt64 = 1,
        scenario: Scenario = .quiet, zones: any ZoneOffsets = UniversalTime()
    ) {
        precondition(
            (1...Limits.nodeDevices).contains(devices), "a node hosts 1 to \(Limits.nodeDevices) devices")
        self.name = name
        self.account = account
        self.devices = devices
        self.firstIndex = firstIndex
        self.seed = seed
        self.scenario = scenario
        self.zones = zones
    }

    /// The devices by their indices.
    public var range: DeviceRange {
        DeviceRange(seed: seed, firstIndex: firstIndex, count: UInt32(devices))
    }
}
