public import FleetProtocol
public import FleetTime
import PlantedBugs

/// A node full of devices: everything that a `device-sim` process decides.
///
/// A stepping machine: it is told what arrived and what time it is, and appends what should be done.
/// Within one step an answer comes after what must be remembered for it and before what is published.
public struct Node: Sendable {
    /// What a node is told.
    public enum Input: Sendable {
        /// A new connection to the controller stands.
        case connected
        /// The controller said something.
        case controller(ControllerMessage)
        /// Time has passed: whatever is due, now.
        case turn
        /// The process is about to end in good order.
        case stopping
        /// The scenario that an order names; nil when it cannot be read.
        case scenario(OrderID, Scenario?)
    }

    /// What a node wants done.
    public enum Effect: Sendable, Equatable {
        /// Keep this before anything later in the list leaves.
        case remember(MemoryEntry)
        /// Tell the controller.
        case send(NodeMessage)
        /// Publish a device as it is now.
        case publish(DeviceRow)
        /// Publish what pods have just measured, one or more.
        case measured([MeasuredDevice])
        /// Die at once, and say nothing.
        case crash
        /// Read the scenario of that name or file, and come back with it.
        case readScenario(OrderID, String)
    }

    enum Event: Sendable {
        case measure(scenario: Int)
        case happens(Happening, scenario: Int)
        case herdGoes(from: Int, until: MonotonicTime?, scenario: Int)
        case reconnect(slot: Int)
        case faultEnds(slot: Int, Fault)
        case heldDue(slot: Int)
        case deedDue(slot: Int, MonotonicTime)
        case heals(from: Int, after: UInt32, OrderID)
    }

    /// Slots that one step looks at for a pull, so that a sparse pull of a large table never stalls the loop.
    static let slotsPerPull = 65_536

    /// Sets the chance of signals apart from everything else that follows from the seed.
    private static let signalPurpose: UInt64 = 0x7369_676e

    var configuration: NodeConfiguration
    /// This life of the process.
    public let bootID: BootID
    /// When the scenario began: the simulated clock's start.
    var scenarioBeganAt: MonotonicTime
    /// Rises with each other scenario: what was planned by an earlier one does not happen any more.
    var scenarioNumber = 0
    /// Those it hosts, and behind them those that it hosted before they retired: they are still remembered.
    var devices: [Device]
    /// How many it hosts.
    var hosted: Int
    var ids: [DeviceID]
    /// What they are mixed with: each command's device is looked up by undoing its id.
    private let keys: FleetKeys
    let names: DeviceNames
    /// What its devices can be set to, by their groups: looked up once, and not for each command.
    let capabilities: [Capabilities]
    /// Climate React as the population has it.
    var reactions: GroupReactions
    var rooms: Rooms
    var lastNumber: ChangeNumber
    var faults = Faults()
    var airConditioners = AirConditioners()
    var settings = SettingsTable()
    /// What people's clocks say in this step.
    var wall: WallTime
    var timers = Timers<Event>()
    /// When the next sign of life is due; no timer, for it does not wait for what was due before it.
    var pingDue: MonotonicTime
    /// When the next turn is wanted at the latest: noted after each step, as who asked the timers for it
    /// would move the machine.
    public private(set) var nextDue: MonotonicTime?
    var generator: SeededGenerator
    /// The chance of answers' latency and of infrared signals, which commands bring about when people please:
    /// what a scenario has happen, when and to whom, does not depend on them.
    var signalChance: SeededGenerator
    /// Where the incarnation of each new life of a device comes from.
    var incarnations: any RandomNumberGenerator & Sendable
    /// The controller that last heard our hello; nil before the first.
    var greetedEpoch: Epoch?

    /// A node that has just started; the first turn makes it say hello.
    ///
    /// - Parameters:
    ///   - bootID: this life of the process.
    ///   - memory: what devices remember of earlier lives of the process; those it does not know are new.
    ///   - incarnations: where each new device's incarnation comes from; never the fleet's seed.
    public init(
        _ configuration: NodeConfiguration, bootID: BootID, memory: NodeMemory = NodeMemory(),
        incarnations: some RandomNumberGenerator & Sendable, at now: Moment
    ) {
        self.configuration = configuration
        self.bootID = bootID
        keys = FleetKeys(seed: configuration.seed)
        scenarioBeganAt = now.monotonic
        names = DeviceNames(of: configuration.scenario.population)
        capabilities = configuration.scenario.population.groups.map(\.capabilities)
        reactions = GroupReactions(
            of: configuration.scenario.population.groups, devices: configuration.devices)
        generator = SeededGenerator.derived(seed: configuration.seed, purpose: configuration.firstIndex)
        signalChance = SeededGenerator.derived(
            seed: configuration.seed ^ Self.signalPurpose, purpose: configuration.firstIndex)
        ids = (0..<configuration.devices).map {
            DeviceID(fleetSeed: configuration.seed, index: configuration.firstIndex + UInt64($0))
        }
        hosted = configuration.devices
        devices = []
        devices.reserveCapacity(configuration.devices)
        var incarnations = incarnations
        let groups = configuration.scenario.population.groups
        for (index, id) in ids.enumerated() {
            let group = groups[names.group(of: configuration.firstIndex + UInt64(index))]
            var state = ACState.asBuilt(group)
            // Thrown for those that remember, or cannot be on, too: what happens by itself later is the same
            // for all.
            state.isOn = Bool.random(using: &generator) && group.model.switchesAnything
            let known =
                memory[id]
                ?? DeviceMemory(newborn: state, incarnation: Incarnation(bits: incarnations.next()))
            devices.append(Device(memory: known, number: ChangeNumber(UInt64(index + 1))))
            if let actual = memory.airConditioner(of: id) {
                _ = airConditioners.note(actual, of: index, assumed: known.state)
            }
        }
        rooms = Rooms(
            of: configuration,
            set: devices.enumerated().map { [airConditioners] in
                airConditioners.stray(of: $0) ?? $1.memory.state
            })
        self.incarnations = incarnations
        lastNumber = ChangeNumber(UInt64(configuration.devices))
        wall = now.wall
        pingDue = now.monotonic
        recall(memory, at: now)
        scheduleMeasuring(after: now.monotonic)
        scheduleScenario(at: now.monotonic)
        nextDue = soonestDue
    }

    /// How many timers are set.
    public var timerCount: Int { timers.count + 1 }

    /// How many devices it remembers: those that have retired, too.
    public var deviceCount: Int { devices.count }

    /// Every device as it is now, in the order of the slots: what tests compare everybody's view with.
    public var truth: [DeviceRow] { (0..<hosted).map(row(of:)) }

    /// How many devices are on, and how many have a connection.
    public var standing: (on: Int, connected: Int) {
        devices.prefix(hosted).reduce(into: (0, 0)) { standing, device in
            standing.0 += device.memory.state.isOn ? 1 : 0
            standing.1 += device.connectivity == .established ? 1 : 0
        }
    }

    /// What a device is called; nil for one that is not here.
    public func name(of device: DeviceID) -> String? { ownSlot(of: device).map(name(ofSlot:)) }

    /// What the device of a slot is called.
    ///
    /// - Parameter slot: One of 0 to ``deviceCount``, itself excluded.
    public func name(ofSlot slot: Int) -> String { names.name(of: configuration.firstIndex + UInt64(slot)) }

    /// What the pod of the device in a slot measured last.
    ///
    /// - Precondition: The node hosts the device.
    public func measurements(ofSlot slot: Int) -> Measurements {
        rooms.measurements(of: slot).calibrated(by: settings[slot]?.calibration)
    }

    /// Takes one input and appends what should be done.
    public mutating func step(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        defer { nextDue = soonestDue }
        wall = now.wall
        switch input {
        case .connected: greet(into: &effects)
        case .controller(let message): heard(message, at: now, into: &effects)
        case .turn: turn(at: now, into: &effects)
        case .stopping: send(.leaving, into: &effects)
        case .scenario(let order, let scenario): take(scenario, for: order, at: now, into: &effects)
        }
    }

    private mutating func heard(_ message: ControllerMessage, at now: Moment, into effects: inout [Effect]) {
        switch message.body {
        case .pong(let helloWanted):
            if helloWanted || greetedEpoch.map({ message.epoch > $0 }) ?? false { greet(into: &effects) }
            greetedEpoch = max(greetedEpoch ?? .zero, message.epoch)
        case .pull(let since, let cursor, let number):
            send(.rows(chunk(since: since, from: cursor, for: number)), into: &effects)
        case .command(let command):
            guard let slot = reachableSlot(of: command.identity.device) else { return }
            receive(mistaken(command, slot), epoch: message.epoch, slot: slot, at: now, into: &effects)
        case .configure(let command, let setting):
            guard let slot = reachableSlot(of: command.identity.device) else { return }
            receive(
                mistaken(command, slot), setting: setting, epoch: message.epoch, slot: slot, at: now,
                into: &effects)
        case .abort(let identity):
            guard let slot = reachableSlot(of: identity.device) else { return }
            let before = devices[slot].memory.reported
            let answer = devices[slot].abort(identity, epoch: message.epoch)
            reply(answer, to: identity, before: before, deviceTime: .zero, slot: slot, into: &effects)
        case .fault(let fault, let named, let duration, let delay):
            inject(fault, into: named, for: duration, delay: delay, at: now, into: &effects)
        case .heal(let order, let named): heal(named, for: order, at: now, into: &effects)
        case .scenario(let order, let name): effects.append(.readScenario(order, name))
        case .listFaults(let order): send(.faults(order, activeFaults(at: now.monotonic)), into: &effects)
        case .retire(let order, let named): retire(named, for: order, into: &effects)
        case .renew(let seen): renew(seen, by: message.epoch, at: now, into: &effects)
        case .taken:
            // Another node holds these for as long as it lives; the hello of the next ping claims them again.
            greetedEpoch = nil
        }
    }

    /// The command as a device would understand it that makes the planted mistake.
    private func mistaken(_ command: DeviceCommand, _ slot: Int) -> DeviceCommand {
        var command = command
        if configuration.planted(.noBaseCheck) { command.base = nil }
        if configuration.planted(.noIncarnation) {
            command.identity = CommandIdentity(
                device: command.identity.device, incarnation: devices[slot].memory.incarnation,
                sequence: command.identity.sequence, requestID: command.identity.requestID)
        }
        return command
    }

    mutating func greet(into effects: inout [Effect]) {
        let hello = NodeMessage.Body.hello(
            configuration.name, account: configuration.account, devices: UInt32(hosted), groups: groups,
            grant: configuration.grant)
        send(hello, into: &effects)
    }

    func send(_ body: consuming NodeMessage.Body, into effects: inout [Effect]) {
        effects.append(.send(NodeMessage(bootID: bootID, lastNumber: lastNumber, body: body)))
    }

    /// The slot of a device; nil when it is not one of this node's.
    func ownSlot(of device: DeviceID) -> Int? {
        slot(of: device).flatMap { $0 < hosted ? $0 : nil }
    }

    /// The slot of a device that the node hosts or has hosted; nil for another.
    func slot(of device: DeviceID) -> Int? {
        let index = device.index(in: keys)
        guard index >= configuration.firstIndex, index - configuration.firstIndex < UInt64(devices.count)
        else { return nil }
        return Int(index - configuration.firstIndex)
    }

    /// The slot of a device that can be reached; for one that cannot, the node says nothing.
    private func reachableSlot(of device: DeviceID) -> Int? {
        guard let slot = ownSlot(of: device), devices[slot].connectivity == .established else { return nil }
        return slot
    }
}
