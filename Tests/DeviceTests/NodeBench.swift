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
        incarnations: UInt64 = 99, remembering memory: NodeMemory = NodeMemory(),
        after delay: Duration = .zero, dayBeganAt: WallTime? = nil
    ) {
        var configuration = NodeConfiguration.sample(scenario, devices: devices, seed: seed)
        configuration.dayBeganAt = dayBeganAt
        node = Node(
            configuration, bootID: BootID(bits: 1), memory: memory,
            incarnations: SeededGenerator(seed: incarnations), at: Self.start.advanced(by: delay))
        now = Self.start.advanced(by: delay)
        firstEffects = step(.turn)
    }

    /// The time since its start.
    var elapsed: Duration { Self.start.monotonic.duration(to: now.monotonic) }

    /// The effects of an input.
    @discardableResult
    mutating func step(_ input: Node.Input) -> [Node.Effect] {
        effects.removeAll()
        node.step(input, at: now, into: &effects)
        mostEffects = max(mostEffects, effects.count)
        return effects
    }

    /// The effects of a controller's message.
    @discardableResult
    mutating func send(
        _ body: ControllerMessage.Body, epoch: Epoch = Epoch(1), after delay: Duration = .zero
    ) -> [Node.Effect] {
        now = now.advanced(by: delay)
        return step(.controller(ControllerMessage(epoch: epoch, body: body)))
    }

    /// The effects when an operator injects a fault into the devices of some slots.
    @discardableResult
    mutating func inject(
        _ fault: Fault, _ slots: [Int], for duration: Duration = .zero, delay: Duration = .zero
    ) -> [Node.Effect] {
        let rows = node.truth
        return send(.fault(fault, devices: slots.map { rows[$0].device }, duration: duration, delay: delay))
    }

    /// The effects of the next turn.
    @discardableResult
    mutating func turn(after delay: Duration) -> [Node.Effect] {
        now = now.advanced(by: delay)
        return step(.turn)
    }

    /// The rows above a change number, as many as one chunk has.
    mutating func rows(since number: ChangeNumber = .zero) throws -> [RowChunk.Row] {
        try chunk(since: number).rows
    }

    /// The node's reply to a pull.
    mutating func chunk(since number: ChangeNumber = .zero, cursor: UInt32 = 0) throws -> RowChunk {
        for case .rows(let chunk) in send(.pull(since: number, cursor: cursor)).sent { return chunk }
        throw Missing.rows
    }

    /// The hello on a new connection.
    mutating func hello() throws -> NodeHello {
        for case .hello(let hello) in step(.connected).sent { return hello }
        throw Missing.hello
    }

    private enum Missing: Error { case rows, hello }

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

    /// Advances the time from one due moment to the next, up to a moment.
    mutating func run(until end: Duration) { run(until: end) { _, _ in } }

    /// The rows that are published until a moment, with their times.
    mutating func published(until end: Duration) -> [(at: Duration, row: DeviceRow)] {
        var published: [(at: Duration, row: DeviceRow)] = []
        run(until: end) { time, effect in published += [effect].published.map { (time, $0) } }
        return published
    }

    /// The results that are sent until a moment, with their times.
    mutating func results(until end: Duration) -> [(at: Duration, result: CommandResult)] {
        var results: [(at: Duration, result: CommandResult)] = []
        run(until: end) { time, effect in results += [effect].results.map { (time, $0) } }
        return results
    }

    /// The measurements that are published until a moment.
    mutating func measured(until end: Duration) -> [MeasuredDevice] {
        var measured: [MeasuredDevice] = []
        run(until: end) { _, effect in measured += [effect].measured }
        return measured
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

    /// A command for the device of a slot, of its current incarnation.
    func command(
        _ change: ACStateChange, of slot: Int = 0, number: UInt64 = 1, request: RequestID? = nil,
        base: Version? = nil, timeToLive: Duration = .seconds(5), takes: Duration = .zero,
        isCorrection: Bool = false
    ) -> DeviceCommand {
        let row = node.row(of: slot)
        return DeviceCommand(
            identity: CommandIdentity(
                device: row.device, incarnation: row.reported.incarnation,
                commandNumber: CommandNumber(number),
                requestID: request ?? RequestID(high: 0, low: number)),
            change: change, base: base, timeToLive: timeToLive, isCorrection: isCorrection,
            takesMs: UInt32(takes.wholeMilliseconds))
    }

    /// A command that toggles a device, based on its current version.
    func toggle(
        _ slot: Int = 0, number: UInt64 = 1, request: RequestID? = nil, timeToLive: Duration = .seconds(5),
        takes: Duration = .zero, isCorrection: Bool = false
    ) -> DeviceCommand {
        let reported = node.row(of: slot).reported
        return command(
            ACStateChange(isOn: !reported.state.isOn), of: slot, number: number, request: request,
            base: reported.version, timeToLive: timeToLive, takes: takes, isCorrection: isCorrection)
    }
}

extension NodeConfiguration {
    /// The node "node-1" of the account "demo".
    static func sample(
        _ scenario: Scenario = .quiet, devices: Int, firstIndex: UInt64 = 0, seed: UInt64 = 1
    ) -> NodeConfiguration {
        guard let name = NodeName("node-1"), let account = AccountID("demo") else {
            preconditionFailure("the names are valid")
        }
        return NodeConfiguration(
            name: name, account: account, devices: devices, firstIndex: firstIndex, seed: seed,
            scenario: scenario, zones: Zones())
    }
}

extension Sequence<Node.Effect> {
    /// The sent messages.
    var sent: [NodeMessage.Body] {
        compactMap { if case .send(let message) = $0 { message.body } else { nil } }
    }

    /// The results of commands and aborts.
    var results: [CommandResult] {
        sent.compactMap { if case .result(let result) = $0 { result } else { nil } }
    }

    var verdicts: [Verdict] { results.map(\.verdict) }

    /// The report that an order is done.
    var done: NodeMessage.Body? { sent.first { if case .done = $0 { true } else { false } } }

    var published: [DeviceRow] { compactMap { if case .publish(let row) = $0 { row } else { nil } } }

    var measured: [MeasuredDevice] {
        flatMap { effect -> [MeasuredDevice] in
            if case .measured(let devices) = effect { devices } else { [] }
        }
    }

    var remembered: [MemoryEntry] {
        compactMap { if case .remember(let entry) = $0 { entry } else { nil } }
    }
}
