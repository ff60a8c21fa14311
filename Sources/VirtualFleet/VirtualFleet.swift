package import ControllerCore
package import DeviceCore
package import FleetProtocol

/// A controller and a node in one virtual time, without sockets, disk and threads.
///
/// Their messages arrive at once, and nothing is stored. Time passes only by ``advance(to:)``, from one event
/// to the next, so that a day takes as long as its events. What happens follows from the configuration and
/// from the requests with their times.
package struct VirtualFleet: Sendable {
    /// What a fleet starts with.
    package struct Configuration: Sendable {
        package let node: NodeConfiguration
        /// The users with their sessions and keys, and the number of the start.
        package var controller: ControllerConfiguration
        /// Reads the scenario of an order; nil for a text that names none.
        package let readScenario: @Sendable (String) -> Scenario?
        /// Makes the tokens of sessions and streams.
        package let makeToken: @Sendable () -> FreshToken

        package init(
            node: NodeConfiguration, controller: ControllerConfiguration,
            readScenario: @escaping @Sendable (String) -> Scenario?,
            makeToken: @escaping @Sendable () -> FreshToken
        ) {
            (self.node, self.controller) = (node, controller)
            (self.readScenario, self.makeToken) = (readScenario, makeToken)
        }
    }

    /// What has left the fleet, each kind in its order.
    package struct Output: Sendable {
        package var replies: [Controller.Effects.Reply] = []
        package var updates: [Controller.Effects.Update] = []
        /// The last updates of streams that have ended.
        package var lastUpdates: [(topic: StreamTopic, update: StreamUpdate)] = []
    }

    /// The connection of the node; no routing ID is that short.
    private static let nodeConnection = ConnectionID(high: 0, low: 1)
    /// How long a node that has crashed is away.
    private static let restartTime: Duration = .seconds(5)
    /// The longest time in which a fleet that has started brings its devices online.
    private static let startTime: Duration = .seconds(2)

    /// The time up to which everything has happened.
    package private(set) var now: Moment
    private let start: Moment
    package var controller: Controller
    private var node: Node
    private let configuration: Configuration
    /// When the node returns; nil while it is connected.
    private var nodeReturnsAt: MonotonicTime?
    private var effects = Controller.Effects()
    private var nodeEffects: [Node.Effect] = []
    private var output = Output()

    /// Starts a fleet, and waits in its own time until the devices are online.
    package init(_ configuration: Configuration, at start: Moment) {
        self.configuration = configuration
        (now, self.start) = (start, start)
        let seed = configuration.node.seed
        controller = Controller(configuration.controller, at: start)
        // The incarnations differ from one start to the next, as those of processes do.
        let epoch = configuration.controller.epoch.value
        node = Node(
            configuration.node, bootID: BootID(bits: SeededGenerator.mixed(seed ^ epoch)),
            incarnations: SeededGenerator.derived(seed: seed, purpose: epoch), at: start)
        connectNode()
        let end = start.monotonic.advanced(by: Self.startTime)
        while !isComplete, let due = nextDue, due <= end { pass(to: due) }
    }

    /// Whether the controller has all devices of the node that do not begin offline.
    private var isComplete: Bool {
        let node = configuration.node
        let offline = node.scenario.population.pods.prefix(node.devices).count { !$0.isOnline }
        return controller.onlineCount(of: node.account, at: now.monotonic) == node.devices - offline
    }

    // MARK: Time

    /// The time of the next event; nil if there is none.
    package var nextDue: MonotonicTime? {
        mutating get {
            let node = nodeReturnsAt ?? node.nextDue ?? .never
            let due = min(controller.nextDue, node)
            return due == .never ? nil : due
        }
    }

    /// Lets everything happen that is due up to a time.
    ///
    /// While nothing depends on heartbeats, those between two events are left out: a day has 350,000 of them,
    /// and 960 measurements of each device.
    /// Stops early after that many updates, and returns the time that it has reached.
    @discardableResult
    package mutating func advance(to end: MonotonicTime, updates limit: Int = .max) -> MonotonicTime {
        while let due = isSteady ? node.nextEvent : nextDue, due <= end {
            guard output.updates.count < limit else { return now.monotonic }
            pass(to: due)
        }
        if let due = nextDue, due <= end { pass(to: end) }
        setTime(end)
        return end
    }

    /// Whether heartbeats may come late: the node is connected, and no request or order waits.
    private var isSteady: Bool { nodeReturnsAt == nil && controller.mayBeLate }

    private mutating func pass(to due: MonotonicTime) {
        setTime(due)
        if let nodeReturnsAt {
            if nodeReturnsAt <= now.monotonic { connectNode() }
        } else if let due = node.nextDue, due <= now.monotonic {
            stepNode(.turn)
        }
        settle()
    }

    private mutating func setTime(_ time: MonotonicTime) {
        guard time > now.monotonic else { return }
        // From the start: a date has whole milliseconds, and would fall behind with each step.
        now = start.advanced(by: start.monotonic.duration(to: time))
    }

    // MARK: Clients

    /// Handles a request of a client, whose token has that digest.
    package mutating func receive(_ request: ClientRequest, from client: ConnectionID, digest: TokenDigest?) {
        if case .streamTicket = request.body {
            let fresh = configuration.makeToken()
            controller.step(
                .ticketRequest(
                    client, correlation: request.correlation, digest: digest, fresh: fresh,
                    isUnattended: request.isUnattended),
                at: now, into: &effects)
        } else {
            controller.receive(request, from: client, digest: digest, at: now, into: &effects)
        }
        settle()
    }

    /// Opens the streams of the peers that have subscribed.
    package mutating func openStreams() {
        for account in controller.settleStreams() {
            controller.step(.subscribed(account), at: now, into: &effects)
        }
        settle()
    }

    /// Takes what has left the fleet since the last call.
    package mutating func drain() -> Output {
        defer { output = Output() }
        return output
    }

    // MARK: Devices

    /// Changes the node as an event around its devices would.
    package mutating func changeNode<Value>(_ body: (inout Node, inout [Node.Effect]) -> Value) -> Value {
        let value = body(&node, &nodeEffects)
        stepNode(.turn)
        settle()
        return value
    }

    private mutating func connectNode() {
        nodeReturnsAt = nil
        stepNode(.connected)
        settle()
    }

    private mutating func stepNode(_ input: Node.Input) {
        node.step(input, at: now, into: &nodeEffects)
        deliverFromNode()
    }

    // MARK: Messages

    /// Exchanges messages until controller and node have none for each other.
    private mutating func settle() {
        repeat {
            controller.step(.turn(lastTook: .zero), at: now, into: &effects)
            if effects.discardChanges() { controller.step(.stored(took: .zero), at: now, into: &effects) }
            deliverFromController()
        } while !effects.isEmpty
    }

    private mutating func deliverFromController() {
        guard !effects.isEmpty else { return }
        var sent = Controller.Effects()
        swap(&sent, &effects)
        output.replies += sent.replies
        output.updates += sent.updates
        for effect in sent.rare { carryOut(effect) }
        for sent in sent.messages where sent.node == Self.nodeConnection && nodeReturnsAt == nil {
            stepNode(.controller(sent.message))
        }
    }

    private mutating func carryOut(_ effect: Controller.Effects.Rare) {
        switch effect {
        case .publishLast(let topic, let update): output.lastUpdates.append((topic, update))
        case .check(let check):
            // The stored hash of a password is the password: nothing is stored outside of this process.
            let text = check.password?.text
            let fresh = configuration.makeToken()
            controller.step(
                .passwordChecked(
                    ticket: check.ticket, didMatch: text != nil && text == check.storedHash,
                    token: fresh.token, digest: fresh.digest, hash: check.storedHash == nil ? text : nil),
                at: now, into: &effects)
        case .hash(let hashing):
            controller.step(
                .passwordHashed(ticket: hashing.ticket, hash: hashing.password.text), at: now, into: &effects)
        // There is neither an outbox nor another cell.
        case .message, .askCell, .move: break
        }
    }

    private mutating func deliverFromNode() {
        guard !nodeEffects.isEmpty else { return }
        var done: [Node.Effect] = []
        swap(&done, &nodeEffects)
        var rows: [DeviceRow] = []
        var measured: [MeasuredDevice] = []
        for effect in done {
            switch effect {
            case .send(let message):
                guard nodeReturnsAt == nil else { break }
                controller.receive(message, from: Self.nodeConnection, at: now, into: &effects)
            case .publish(let row): rows.append(row)
            case .measured(let devices): measured += devices
            case .crash:
                nodeReturnsAt = now.monotonic.advanced(by: Self.restartTime)
                // As when its lease has ended.
                controller.lose(node.bootID, at: now, into: &effects)
            case .readScenario(let order, let name, let beganAt):
                stepNode(.scenario(order, configuration.readScenario(name), beganAt: beganAt))
            case .remember, .connect, .refused: break
            }
        }
        guard nodeReturnsAt == nil else { return }
        for part in Telemetry.messages(of: rows, from: node.bootID) {
            controller.step(.telemetry(part), at: now, into: &effects)
        }
        for start in stride(from: 0, to: measured.count, by: Limits.chunkRows) {
            let part = Array(measured[start..<min(start + Limits.chunkRows, measured.count)])
            controller.step(
                .telemetry(Telemetry(bootID: node.bootID, measured: part)), at: now, into: &effects)
        }
    }
}
