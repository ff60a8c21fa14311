public import FleetProtocol

/// The state machine of a `device-sim` process: a node with its devices. A step takes an input with the time,
/// and appends effects. Within one step, an answer comes after the memory entries that it depends on, and
/// before the publications.
public struct Node: Sendable {
    public enum Input: Sendable {
        /// A new connection to the controller was established.
        case connected
        case controller(ControllerMessage)
        /// Time has passed: due events must be processed.
        case turn
        /// The process is about to stop in an orderly way.
        case stopping
        /// The scenario that an order names; nil if it cannot be read.
        case scenario(OrderID, Scenario?, beganAt: WallTime?)
        /// Users have renamed or removed devices.
        case changed(DeviceChanges)
    }

    /// An effect that the shell executes.
    public enum Effect: Sendable, Equatable {
        /// Store this before a later effect in the list is sent.
        case remember(MemoryEntry)
        case send(NodeMessage)
        case publish(DeviceRow)
        /// Publish new measurements of one or more pods.
        case measured([MeasuredDevice])
        /// End the process at once, without a goodbye.
        case crash
        /// Read the scenario with that name or file, and pass it to the node.
        case readScenario(OrderID, String, beganAt: WallTime?)
        /// Connect to that cell, which has the account now.
        case connect(to: CellName)
        /// The controller refuses this process, because another one of the node is alive.
        case refused(NodeRun)
    }

    enum Event: Sendable {
        case measure(scenario: Int)
        case happens(ScenarioEvent, scenario: Int)
        case herdGoes(from: Int, until: MonotonicTime?, scenario: Int)
        case reconnect(slot: Int)
        case faultEnds(slot: Int, Fault)
        case heldDue(slot: Int)
        case actionDue(slot: Int, MonotonicTime)
        case restored
        case heals(from: Int, after: UInt32, OrderID)
    }

    /// The slots that one step scans for a pull, so that a sparse pull of a large table never stalls it.
    static let slotsPerPull = 65_536

    var configuration: NodeConfiguration
    /// The ID of this run of the process.
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
    var wall: WallTime
    var timers = Timers<Event>()
    private var contact: ControllerContact
    var judged: JudgedRequests
    // Speed: see performance.md, "copies".
    /// The latest time of the next turn.
    public private(set) var nextDue: MonotonicTime?

    /// A node that has just started; its first turn sends a hello. Devices that the memory of earlier runs
    /// lacks are new. The source of incarnations is never the fleet's seed.
    public init(
        _ configuration: NodeConfiguration, bootID: BootID, memory: NodeMemory = NodeMemory(),
        incarnations: some RandomNumberGenerator & Sendable, at now: Moment
    ) {
        let population = NodePopulation(of: configuration)
        var (run, incarnations) = (ScenarioRun(of: configuration, at: now), incarnations)
        var airConditioners = AirConditioners()
        devices = HostedDevices(of: configuration) { slot, id in
            let group = population.group(of: slot)
            var state = ACState.asBuilt(group)
            // Drawn for every device, so that later events do not depend on the memory or the model.
            state.isOn = run.startsOn() && group.model.movesAir
            state = population.pod(of: slot)?.state ?? state
            let known =
                memory[id]
                ?? DeviceMemory(newborn: state, incarnation: Incarnation(bits: incarnations.next()))
            if let actual = memory.airConditioner(of: id) {
                _ = airConditioners.record(actual, of: slot, assumed: known.state)
            }
            return known
        }
        devices.hide(configuration.changes.removed)
        rooms = Rooms(
            of: configuration, from: run.startOfDay,
            set: (0..<configuration.devices).map { [devices, airConditioners] in
                airConditioners.stray(of: $0) ?? devices[$0].memory.state
            })
        settings = SettingsTable(
            groups: configuration.scenario.population.groups, devices: configuration.devices)
        contact = ControllerContact(at: now.monotonic)
        judged = JudgedRequests(newest: devices.newestRequest)
        wall = now.wall
        (self.configuration, self.bootID, self.population) = (configuration, bootID, population)
        (self.run, self.airConditioners, self.incarnations) = (run, airConditioners, incarnations)
        beginSettings(unlessIn: memory, at: now)
        restore(memory, at: now)
        scheduleMeasuring(after: now.monotonic)
        scheduleScenario(at: now.monotonic)
        nextDue = soonestDue
    }

    /// The time of the next event of a device or a room; nil for none. Only a heartbeat can be due before.
    package var nextEvent: MonotonicTime? { timers.nextDue }

    /// The number of set timers.
    public var timerCount: Int { timers.count + 1 }

    /// The number of devices in memory, including retired ones.
    public var deviceCount: Int { devices.slotCount }

    /// The current rows of all devices, in the order of the slots: tests compare all views with them.
    public var truth: [DeviceRow] {
        (0..<devices.count).filter { !devices.isHidden($0) }.map(row(of:))
    }

    /// The numbers of devices that are on, and that are connected.
    public var standing: (on: Int, connected: Int) { devices.standing }

    /// Returns the name of a device; nil if this node does not host it.
    public func name(of device: DeviceID) -> String? { devices.hostedSlot(of: device).map(name(ofSlot:)) }

    /// Returns the name of the device in a slot below ``deviceCount``.
    public func name(ofSlot slot: Int) -> String {
        configuration.changes.names[devices.ids[slot]] ?? population.name(of: slot)
    }

    /// Returns the last measurements of the pod in a slot, whose device the node hosts.
    public func measurements(ofSlot slot: Int) -> Measurements {
        rooms.measurements(of: slot).calibrated(by: settings[slot]?.calibration)
    }

    /// Presents another permission to host the devices in later hellos.
    public mutating func use(_ grant: NodeGrant) { configuration.grant = grant }

    /// Handles one input, and appends its effects.
    public mutating func step(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        defer { nextDue = soonestDue }
        wall = now.wall
        let start = effects.count
        defer { if devices.hasHidden { hideRemoved(in: &effects, from: start) } }
        switch input {
        case .connected: if contact.mayGreet(at: now.monotonic) { greet(into: &effects) }
        case .controller(let message): handle(message, at: now, into: &effects)
        case .turn: turn(at: now, into: &effects)
        case .stopping: send(.leaving, into: &effects)
        case .scenario(let order, let scenario, let beganAt):
            begin(scenario, dayBeganAt: beganAt, for: order, at: now, into: &effects)
        case .changed(let changes): use(changes, into: &effects)
        }
    }

    private mutating func handle(_ message: ControllerMessage, at now: Moment, into effects: inout [Effect]) {
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
        case .scenario(let order, let name, let beganAt):
            effects.append(.readScenario(order, name, beganAt: beganAt))
        case .listFaults(let order): send(.faults(order, activeFaults(at: now.monotonic)), into: &effects)
        case .retire(let order, let named): retire(named, for: order, into: &effects)
        case .renew(let seen): renew(seen, by: message.epoch, at: now, into: &effects)
        case .moved(let cell): effects.append(.connect(to: cell))
        case .refused(let run):
            contact.refuse()
            effects.append(.refused(run))
        case .claimsRefused:
            // Another node holds these while it is online; the hello of the next heartbeat claims them.
            contact.claimAgain()
        }
    }

    /// Returns the command as a device with the planted bug would interpret it.
    private func mistaken(_ command: DeviceCommand, _ slot: Int) -> DeviceCommand {
        var command = command
        if configuration.planted(.noBaseCheck) { command.base = nil }
        if configuration.planted(.noIncarnation) {
            command.identity = CommandIdentity(
                device: command.identity.device, incarnation: devices[slot].memory.incarnation,
                commandNumber: command.identity.commandNumber, requestID: command.identity.requestID)
        }
        return command
    }

    private func greet(into effects: inout [Effect]) {
        let hello = NodeHello(
            node: configuration.name, account: configuration.account, devices: UInt32(devices.shownCount),
            groups: population.sentGroups, grant: configuration.grant, host: configuration.host,
            judgedRequests: judged.list)
        send(.hello(hello), into: &effects)
    }

    func send(_ body: consuming NodeMessage.Body, into effects: inout [Effect]) {
        effects.append(.send(NodeMessage(bootID: bootID, lastNumber: devices.lastNumber, body: body)))
    }

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
