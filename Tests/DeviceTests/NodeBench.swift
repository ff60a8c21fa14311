import FleetProtocol
import Testing

@testable import DeviceCore

/// A node of a scenario with a clock that the test advances.
struct NodeBench {
    static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    private(set) var node: Node
    private(set) var now = Self.start
    private var effects: [Node.Effect] = []
    /// The first effects.
    private(set) var firstEffects: [Node.Effect] = []
    /// The maximum number of effects in one step.
    private(set) var mostEffects = 0

    init(
        _ scenario: Scenario = .quiet, devices: Int = 10, seed: UInt64 = 1,
        remembering memory: NodeMemory = NodeMemory(), after delay: Duration = .zero,
        dayBeganAt: WallTime? = nil
    ) throws {
        var configuration = NodeConfiguration(
            name: try #require(NodeName("node-1")), account: try #require(AccountID("demo")),
            devices: devices, seed: seed, scenario: scenario, zones: Zones())
        configuration.dayBeganAt = dayBeganAt
        node = Node(
            configuration, bootID: BootID(bits: 1), memory: memory, incarnations: SeededGenerator(seed: 99),
            at: Self.start.advanced(by: delay))
        now = Self.start.advanced(by: delay)
        firstEffects = step(.turn)
    }

    /// The time since its start.
    var elapsed: Duration { Self.start.monotonic.duration(to: now.monotonic) }

    /// The effects of an input.
    mutating func step(_ input: Node.Input) -> [Node.Effect] {
        effects.removeAll()
        node.step(input, at: now, into: &effects)
        mostEffects = max(mostEffects, effects.count)
        return effects
    }

    /// The effects of a controller's message.
    mutating func send(_ body: ControllerMessage.Body) -> [Node.Effect] {
        step(.controller(ControllerMessage(epoch: Epoch(1), body: body)))
    }

    /// The effects of the next turn.
    mutating func turn(after delay: Duration) -> [Node.Effect] {
        now = now.advanced(by: delay)
        return step(.turn)
    }

    /// Advances the time from one due moment to the next, up to a moment; passes the effects with their
    /// times.
    mutating func run(until end: Duration, _ body: (Duration, Node.Effect) throws -> Void) rethrows {
        while elapsed < end {
            let due = node.nextDue.map { Self.start.monotonic.duration(to: $0) } ?? end
            now = Self.start.advanced(by: max(elapsed, min(due, end)))
            for effect in step(.turn) { try body(elapsed, effect) }
            if due >= end { break }
        }
        now = Self.start.advanced(by: max(elapsed, end))
    }

    /// Advances the time in steps of one length, regardless of due moments.
    mutating func run(until end: Duration, inStepsOf step: Duration, _ body: (Node.Effect) -> Void) {
        while elapsed < end {
            now = now.advanced(by: min(step, end - elapsed))
            for effect in self.step(.turn) { body(effect) }
        }
    }

    /// The slots of connected devices.
    var connected: Int { node.truth.count { $0.isConnected } }

    /// A command that toggles a device, based on its current version.
    func toggle(_ slot: Int, number: UInt64 = 1) -> DeviceCommand {
        let row = node.truth[slot]
        return DeviceCommand(
            identity: CommandIdentity(
                device: row.device, incarnation: row.reported.incarnation,
                commandNumber: CommandNumber(number), requestID: RequestID(high: 0, low: number)),
            change: ACStateChange(isOn: !row.reported.state.isOn), base: row.reported.version,
            timeToLive: .seconds(5))
    }

    /// Results of commands and aborts among the effects.
    func results(_ effects: [Node.Effect]) -> [CommandResult] {
        effects.compactMap {
            if case .send(let message) = $0, case .result(let result) = message.body { result } else { nil }
        }
    }

    /// Published rows among the effects.
    func published(_ effects: [Node.Effect]) -> [DeviceRow] {
        effects.compactMap { if case .publish(let row) = $0 { row } else { nil } }
    }
}
