public import FleetProtocol

/// The counters of a node's process, and the times at which it sends them. The shell reports each input and
/// each batch of effects. That costs a few additions a command, and none of the node's decisions depends on
/// it.
public struct NodeMeter: Sendable {
    /// The counters so far.
    public private(set) var counters = NodeCounters()
    /// The time of the first input whose effects have not left; nil if all have.
    private var waitingSince: MonotonicTime?
    private var turnBegan: MonotonicTime?
    private var longestTurn: Duration = .zero
    /// Whether the last heartbeat carried counters.
    private var hasReported = false

    /// A meter with all counters at zero.
    public init() {}

    public mutating func begin(_ input: Node.Input, at now: MonotonicTime) {
        turnBegan = turnBegan ?? now
        waitingSince = waitingSince ?? now
        guard case .controller(let message) = input else { return }
        switch message.body {
        case .command, .configure: counters.commands &+= 1
        case .pong, .pull, .abort, .fault, .claimsRefused, .heal, .scenario, .retire, .listFaults, .renew,
            .moved, .refused:
            break
        }
    }

    /// Records a refused message of the controller.
    public mutating func countRefused() { counters.refusedMessages &+= 1 }

    /// Records a batch of effects that leaves now. The time of a command or an abort is its time at the
    /// device plus its wait for the batch and the memory. The batch's first input has waited longest, and all
    /// results of the batch count that wait.
    public mutating func end(_ effects: [Node.Effect], at now: MonotonicTime) {
        let waited = UInt64((waitingSince ?? now).duration(to: now).wholeMicroseconds)
        waitingSince = nil
        for effect in effects {
            switch effect {
            case .send(let message):
                if case .result(let result) = message.body { record(result, waited: waited) }
            case .publish: counters.publishedRows &+= 1
            case .measured(let devices): counters.publishedMeasurements &+= UInt64(devices.count)
            case .remember: counters.rememberedEntries &+= 1
            case .crash, .readScenario, .connect, .refused: break
            }
        }
    }

    private mutating func record(_ result: CommandResult, waited: UInt64) {
        counters[result.verdict.kind] &+= 1
        counters.commandTime.record(us: result.deviceUs &+ waited)
    }

    /// Records the end of the loop's turn.
    public mutating func endTurn(at now: MonotonicTime) {
        longestTurn = max(longestTurn, turnBegan.map { $0.duration(to: now) } ?? .zero)
        turnBegan = nil
    }

    /// Returns all counters for every second heartbeat; nil for the others. Heartbeats are
    /// ``Limits/beatInterval`` apart, so counters are sent at most once in twice that time.
    public mutating func report(memoryBytes: Int, timers: Int) -> NodeCounters? {
        hasReported.toggle()
        guard hasReported else { return nil }
        counters.memoryBytes = UInt64(memoryBytes)
        counters.timers = UInt32(clamping: timers)
        counters.longestTurnUs = UInt64(longestTurn.wholeMicroseconds)
        longestTurn = .zero
        return counters
    }
}

/// The devices of a node, their owner, and the scenario that they run.
public struct NodeConfiguration: Sendable {
    public let name: NodeName
    public let account: AccountID
    /// The number of devices, 1 to ``Limits/nodeDevices``.
    public let devices: Int
    /// The index of the first device over the whole fleet.
    public let firstIndex: UInt64
    /// The fleet's seed: IDs, names and events follow from it.
    public let seed: UInt64
    /// The scenario at the start: all events that no command causes.
    public let scenario: Scenario
    /// When the scenario's first day began; nil for the start of the node.
    public var dayBeganAt: WallTime?
    /// The UTC offsets of time zones, for schedules.
    public let zones: any ZoneOffsets
    /// The node's permission to host the devices; nil in tests of the cores.
    public var grant: NodeGrant?
    /// The name of the machine, at most ``Limits/hostBytes``.
    public var host = ""
    /// The names and removed devices of users.
    public var changes = DeviceChanges()
    /// The bug that a simulation plants.
    public var planted = Planting()

    public init(
        name: NodeName, account: AccountID, devices: Int, firstIndex: UInt64 = 0, seed: UInt64 = 1,
        scenario: Scenario = .quiet, zones: any ZoneOffsets = UniversalTime()
    ) {
        precondition(
            (1...Limits.nodeDevices).contains(devices), "a node hosts 1 to \(Limits.nodeDevices) devices")
        (self.name, self.account, self.devices, self.firstIndex) = (name, account, devices, firstIndex)
        (self.seed, self.scenario, self.zones) = (seed, scenario, zones)
    }

    public var range: DeviceRange {
        DeviceRange(seed: seed, firstIndex: firstIndex, count: UInt32(devices))
    }
}
