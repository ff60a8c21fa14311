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

    let configuration: NodeConfiguration
    /// This life of the process.
    public let bootID: BootID
    let population: NodePopulation
    var devices: HostedDevices
    var run: ScenarioRun
    var rooms: Rooms
    var faults = Faults()
    var airConditioners: AirConditioners
    var settings: SettingsTable
    /// The source of the incarnations of new and reset devices.
    var incarnations: any RandomNumberGenerator & Sendable
    /// The wall clock's time of this step.
    var wall: WallTime
    var timers = Timers<Event>()
    private var contact: ControllerContact
    /// The latest time of the next turn; stored, because a caller that read the timers would copy the node.
    public private(set) var nextDue: MonotonicTime?

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
        let population = NodePopulation(of: configuration)
        var (run, incarnations) = (ScenarioRun(of: configuration, at: now.monotonic), incarnations)
        var airConditioners = AirConditioners()
        devices = HostedDevices(of: configuration) { slot, id in
            let group = population.group(of: slot)
            var state = ACState.asBuilt(group)
            // Drawn for every device, so that later events do not depend on the memory or the model.
            state.isOn = run.startsOn() && group.model.switchesAnything
            let known =
                memory[id]
                ?? DeviceMemory(newborn: state, incarnation: Incarnation(bits: incarnations.next()))
            if let actual = memory.airConditioner(of: id) {
                _ = airConditioners.note(actual, of: slot, assumed: known.state)
            }
            return known
        }
        rooms = Rooms(
            of: configuration,
            set: (0..<configuration.devices).map { [devices, airConditioners] in
                airConditioners.stray(of: $0) ?? devices[$0].memory.state
            })
        settings = SettingsTable(
            groups: configuration.scenario.population.groups, devices: configuration.devices)
        contact = ControllerContact(at: now.monotonic)
        wall = now.wall
        (self.configuration, self.bootID, self.population) = (configuration, bootID, population)
        (self.run, self.airConditioners, self.incarnations) = (run, airConditioners, incarnations)
        recall(memory, at: now)
        scheduleMeasuring(after: now.monotonic)
        scheduleScenario(at: now.monotonic)
        nextDue = soonestDue
    }

    /// How many timers are set.
    public var timerCount: Int { timers.count + 1 }

    /// How many devices it remembers: those that have retired, too.
    public var deviceCount: Int { devices.slotCount }

    /// Every device as it is now, in the order of the slots: what tests compare everybody's view with.
    public var truth: [DeviceRow] { (0..<devices.count).map(row(of:)) }

    /// How many devices are on, and how many have a connection.
    public var standing: (on: Int, connected: Int) { devices.standing }

    /// What a device is called; nil for one that is not here.
    public func name(of device: DeviceID) -> String? { devices.hostedSlot(of: device).map(name(ofSlot:)) }

    /// What the device of a slot is called.
    ///
    /// - Parameter slot: One of 0 to ``deviceCount``, itself excluded.
    public func name(ofSlot slot: Int) -> String { population.name(of: slot) }

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
            guard contact.receivePong(of: message.epoch, isHelloWanted: helloWanted) else { return }
            greet(into: &effects)
        case .pull(let since, let cursor, let number):
            send(.rows(chunk(since: since, from: cursor, for: number)), into: &effects)
        case .command(let command):
            guard let slot = devices.connectedSlot(of: command.identity.device) else { return }
            receive(mistaken(command, slot), epoch: message.epoch, slot: slot, at: now, into: &effects)
        case .configure(let command, let setting):
            guard let slot = devices.connectedSlot(of: command.identity.device) else { return }
            receive(
                mistaken(command, slot), setting: setting, epoch: message.epoch, slot: slot, at: now,
                into: &effects)
        case .abort(let identity):
            guard let slot = devices.connectedSlot(of: identity.device) else { return }
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
            contact.claimAgain()
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

    private func greet(into effects: inout [Effect]) {
        let hello = NodeMessage.Body.hello(
            configuration.name, account: configuration.account, devices: UInt32(devices.count),
            groups: population.sentGroups, grant: configuration.grant)
        send(hello, into: &effects)
    }

    func send(_ body: consuming NodeMessage.Body, into effects: inout [Effect]) {
        effects.append(.send(NodeMessage(bootID: bootID, lastNumber: devices.lastNumber, body: body)))
    }

    /// Sends a heartbeat if it is due.
    mutating func sendHeartbeat(at now: Moment, into effects: inout [Effect]) {
        switch contact.heartbeat(at: now.monotonic) {
        case .hello: greet(into: &effects)
        case .ping: send(.ping(), into: &effects)
        case nil: break
        }
    }

    /// The time of the next turn; in the past if the last turn left due events.
    private var soonestDue: MonotonicTime { min(contact.heartbeatDue, timers.nextDue ?? .never) }
}
