public import FleetProtocol
public import Stepping

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
    }

    /// What a node wants done.
    public enum Effect: Sendable, Equatable {
        /// Keep this before anything later in the list leaves.
        case remember(MemoryEntry)
        /// Tell the controller.
        case send(NodeMessage)
        /// Publish a device as it is now.
        case publish(DeviceRow)
        /// Die at once, and say nothing.
        case crash
    }

    enum Event: Sendable {
        case ping
        case happens(Happening)
        case herdGoes(from: Int, until: MonotonicTime?)
        case reconnect(slot: Int)
        case faultEnds(slot: Int, Fault)
        case heldDue(slot: Int)
    }

    /// Slots that one step looks at for a pull, so that a sparse pull of a large table never stalls the loop.
    static let slotsPerPull = 65_536

    let configuration: NodeConfiguration
    /// This life of the process.
    public let bootID: BootID
    /// When this life began: the simulated clock's start.
    let startedAt: MonotonicTime
    var devices: [Device]
    var ids: [DeviceID]
    private let names: DeviceNames
    var lastNumber: ChangeNumber
    var faults = Faults()
    var timers = Timers<Event>()
    var generator: SeededGenerator
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
        startedAt = now.monotonic
        names = DeviceNames(of: configuration.scenario.population)
        generator = SeededGenerator.derived(seed: configuration.seed, purpose: configuration.firstIndex)
        ids = (0..<configuration.devices).map {
            DeviceID(fleetSeed: configuration.seed, index: configuration.firstIndex + UInt64($0))
        }
        devices = []
        devices.reserveCapacity(configuration.devices)
        var incarnations = incarnations
        for (index, id) in ids.enumerated() {
            var state = ACState.asBuilt
            // Thrown for those that remember too: what happens by itself later is the same for all.
            state.isOn = Bool.random(using: &generator)
            let known =
                memory[id]
                ?? DeviceMemory(newborn: state, incarnation: Incarnation(bits: incarnations.next()))
            devices.append(Device(memory: known, number: ChangeNumber(UInt64(index + 1))))
        }
        self.incarnations = incarnations
        lastNumber = ChangeNumber(UInt64(configuration.devices))
        timers.set(.ping, at: now.monotonic)
        scheduleScenario(at: now.monotonic)
    }

    /// When the next turn is wanted at the latest.
    public var nextDue: MonotonicTime? { timers.nextDue }

    /// How many devices there are.
    public var deviceCount: Int { devices.count }

    /// Every device as it is now, in the order of the slots: what tests compare everybody's view with.
    public var truth: [DeviceRow] { devices.indices.map(row(of:)) }

    /// Takes one input and appends what should be done.
    public mutating func step(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        switch input {
        case .connected: greet(into: &effects)
        case .controller(let message): heard(message, at: now, into: &effects)
        case .turn: turn(at: now, into: &effects)
        case .stopping: send(.leaving, into: &effects)
        }
    }

    private mutating func turn(at now: Moment, into effects: inout [Effect]) {
        while let due = timers.nextDue, let event = timers.popDue(at: now.monotonic) {
            switch event {
            case .ping:
                greetedEpoch == nil ? greet(into: &effects) : send(.ping, into: &effects)
                timers.set(.ping, at: now.monotonic.advanced(by: Limits.beatInterval))
            case .happens(let happening): happens(happening, due: due, at: now, into: &effects)
            case .herdGoes(let first, let end): herdGoes(from: first, until: end, at: now, into: &effects)
            case .reconnect(let slot): reconnect(slot, at: now, into: &effects)
            case .faultEnds(let slot, let fault): endFault(fault, of: slot, at: now, into: &effects)
            case .heldDue(let slot): judgeHeld(slot, at: now, into: &effects)
            }
        }
    }

    private mutating func heard(_ message: ControllerMessage, at now: Moment, into effects: inout [Effect]) {
        switch message.body {
        case .pong(let helloWanted):
            if helloWanted || greetedEpoch.map({ message.epoch > $0 }) ?? false { greet(into: &effects) }
            greetedEpoch = max(greetedEpoch ?? .zero, message.epoch)
        case .pull(let since, let cursor):
            send(.rows(chunk(since: since, from: cursor)), into: &effects)
        case .command(let command):
            guard let slot = reachableSlot(of: command.identity.device) else { return }
            receive(mistaken(command, slot), epoch: message.epoch, slot: slot, at: now, into: &effects)
        case .abort(let identity):
            guard let slot = reachableSlot(of: identity.device) else { return }
            let answer = devices[slot].abort(identity, epoch: message.epoch)
            reply(answer, to: identity, deviceTime: .zero, slot: slot, into: &effects)
        case .fault(let fault, let named, let duration):
            for device in named {
                guard let slot = ownSlot(of: device) else { continue }
                let end = now.monotonic.advanced(by: duration)
                beginFault(fault, of: slot, until: end, into: &effects)
            }
        case .taken:
            // Another node holds these for as long as it lives; the hello of the next ping claims them again.
            greetedEpoch = nil
        }
    }

    /// The command as a device would understand it that makes the planted mistake.
    private func mistaken(_ command: DeviceCommand, _ slot: Int) -> DeviceCommand {
        if configuration.planted(.noBaseCheck) {
            return DeviceCommand(
                identity: command.identity, change: command.change, base: nil, timeToLive: command.timeToLive)
        }
        guard configuration.planted(.noIncarnation) else { return command }
        let identity = CommandIdentity(
            device: command.identity.device, incarnation: devices[slot].memory.incarnation,
            sequence: command.identity.sequence, requestID: command.identity.requestID)
        return DeviceCommand(
            identity: identity, change: command.change, base: command.base, timeToLive: command.timeToLive)
    }

    private mutating func greet(into effects: inout [Effect]) {
        let hello = NodeMessage.Body.hello(
            configuration.name, account: configuration.account, devices: UInt32(devices.count))
        send(hello, into: &effects)
    }

    func send(_ body: NodeMessage.Body, into effects: inout [Effect]) {
        effects.append(.send(NodeMessage(bootID: bootID, lastNumber: lastNumber, body: body)))
    }

    func row(of slot: Int) -> DeviceRow {
        let device = devices[slot]
        return DeviceRow(
            device: ids[slot], number: device.number,
            reported: device.memory.reported, epoch: device.memory.epoch,
            lastSequence: device.memory.lastSequence,
            isConnected: device.connectivity == .established)
    }

    /// The slot of a device; nil when it is not one of this node's.
    func ownSlot(of device: DeviceID) -> Int? {
        let index = device.index(inFleetOf: configuration.seed)
        guard index >= configuration.firstIndex, index - configuration.firstIndex < UInt64(devices.count)
        else {
            return nil
        }
        return Int(index - configuration.firstIndex)
    }

    /// The slot of a device that can be reached; for one that cannot, the node says nothing.
    private func reachableSlot(of device: DeviceID) -> Int? {
        guard let slot = ownSlot(of: device), devices[slot].connectivity == .established else { return nil }
        return slot
    }

    private func chunk(since: ChangeNumber, from cursor: UInt32) -> RowChunk {
        var rows: [RowChunk.Row] = []
        var slot = min(Int(cursor), devices.count)
        let end = min(devices.count, slot + Self.slotsPerPull)
        while slot < end, rows.count < Limits.chunkRows {
            if devices[slot].number > since {
                let name = names.name(of: configuration.firstIndex + UInt64(slot))
                rows.append(RowChunk.Row(device: row(of: slot), name: name))
            }
            slot += 1
        }
        return RowChunk(
            since: since, cursor: cursor, nextCursor: UInt32(slot), isLast: slot == devices.count, rows: rows)
    }
}
