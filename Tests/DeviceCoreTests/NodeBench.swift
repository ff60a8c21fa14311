import FleetProtocol
import FleetTime
import Testing

@testable import DeviceCore

/// A node of a scenario, and time that passes for it.
struct NodeBench {
    static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    private(set) var node: Node
    private(set) var now = Self.start
    private var effects: [Node.Effect] = []
    /// What was done at once.
    private(set) var firstEffects: [Node.Effect] = []
    /// The most that was done in one step.
    private(set) var mostEffects = 0

    init(
        _ scenario: Scenario = .quiet, devices: Int = 10, seed: UInt64 = 1,
        remembering memory: NodeMemory = NodeMemory(), after delay: Duration = .zero
    ) throws {
        let configuration = NodeConfiguration(
            name: try #require(NodeName("node-1")), account: try #require(AccountID("demo")),
            devices: devices, seed: seed, scenario: scenario, zones: Zones())
        node = Node(
            configuration, bootID: BootID(bits: 1), memory: memory, incarnations: SeededGenerator(seed: 99),
            at: Self.start.advanced(by: delay))
        now = Self.start.advanced(by: delay)
        firstEffects = step(.turn)
    }

    /// How long it has run.
    var elapsed: Duration { Self.start.monotonic.duration(to: now.monotonic) }

    /// What is done at once with an input.
    mutating func step(_ input: Node.Input) -> [Node.Effect] {
        effects.removeAll()
        node.step(input, at: now, into: &effects)
        mostEffects = max(mostEffects, effects.count)
        return effects
    }

    /// What is done at once with a word of the controller.
    mutating func say(_ body: ControllerMessage.Body) -> [Node.Effect] {
        step(.controller(ControllerMessage(epoch: Epoch(1), body: body)))
    }

    /// What is done at the next look at the clock.
    mutating func turn(after delay: Duration) -> [Node.Effect] {
        now = now.advanced(by: delay)
        return step(.turn)
    }

    /// Lets time pass, from one thing that is due to the next, up to a moment; tells what was done when.
    mutating func run(until end: Duration, _ body: (Duration, Node.Effect) throws -> Void) rethrows {
        while elapsed < end {
            let due = node.nextDue.map { Self.start.monotonic.duration(to: $0) } ?? end
            now = Self.start.advanced(by: max(elapsed, min(due, end)))
            for effect in step(.turn) { try body(elapsed, effect) }
            if due >= end { break }
        }
        now = Self.start.advanced(by: max(elapsed, end))
    }

    /// Lets time pass in steps of one length, whatever is due.
    mutating func run(until end: Duration, inStepsOf step: Duration, _ body: (Node.Effect) -> Void) {
        while elapsed < end {
            now = now.advanced(by: min(step, end - elapsed))
            for effect in self.step(.turn) { body(effect) }
        }
    }

    /// The slots of devices that have a connection.
    var connected: Int { node.truth.count { $0.isConnected } }

    /// A command that switches a device, based on how it is now.
    func toggle(_ slot: Int, sequence: UInt64 = 1) -> DeviceCommand {
        let row = node.truth[slot]
        return DeviceCommand(
            identity: CommandIdentity(
                device: row.device, incarnation: row.reported.incarnation,
                sequence: CommandSequence(sequence), requestID: RequestID(high: 0, low: sequence)),
            change: ACStateChange(isOn: !row.reported.state.isOn), base: row.reported.version,
            timeToLive: .seconds(5))
    }

    /// Answers to commands and aborts among what was done.
    func results(_ effects: [Node.Effect]) -> [CommandResult] {
        effects.compactMap {
            if case .send(let message) = $0, case .result(let result) = message.body { result } else { nil }
        }
    }

    /// Rows among what was done, as they are published.
    func published(_ effects: [Node.Effect]) -> [DeviceRow] {
        effects.compactMap { if case .publish(let row) = $0 { row } else { nil } }
    }
}
