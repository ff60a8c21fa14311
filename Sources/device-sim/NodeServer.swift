import Bus
import DeviceCore
import FleetProtocol
import Glibc
import Logging
import ProcessSupport
import UserFiles

/// A node's sockets around its state machine: receive, decode, step, store, send, publish, on one thread.
/// While the disk has no space for the devices' memory, the node sends nothing and handles no commands, as if
/// it were frozen.
final class NodeServer {
    /// Kinds of refused messages from the controller, which the log counts instead of repeating.
    private enum Refused: String {
        case frames, controller
    }

    private static let framesPerTurn = 256
    /// The time between two attempts to write on a full disk.
    private static let pause = Duration.milliseconds(250)

    private var node: Node
    /// Changes of users that the node has not received yet; nil for none.
    var changes: DeviceChanges?
    private let memory: NodeMemoryFile?
    private let loop: Loop
    private let clock: SystemClock
    private let logger: Logger
    private var sockets: NodeSockets
    /// The cells to which the account may be moved; nil without a list.
    private var cells: NodeCells?
    private var frames = Frames()
    private var effects: [Node.Effect] = []
    private var refused = RefusedMessages<Refused>()
    private var meter = NodeMeter()
    private let directory: RunDirectory
    private var ownerCheck = OwnerCheck()
    /// The time of the next attempt to write on the disk; nil while it has space.
    private var pausedUntil: MonotonicTime?
    private var pauseLines = LineBudget(linesPerSecond: 1)
    private var connectionLines = LineBudget(linesPerSecond: 2)
    private var refusals = RefusalLog()
    private var failure: (any Error)?

    init(
        node: consuming Node, memory: NodeMemoryFile?, connection: FleetConnection, cells: NodeCells?,
        loop: Loop, clock: SystemClock, logger: Logger
    ) throws {
        (self.node, self.memory, self.cells) = (node, memory, cells)
        directory = connection.directory
        (self.loop, self.clock, self.logger) = (loop, clock, logger)
        sockets = try NodeSockets(of: connection, on: loop)
    }

    private func connect() throws {
        try sockets.connect { [self] event in
            switch event {
            case .handshakeSucceeded:
                report(.info, "connected to the controller")
                step(.connected)
            case .disconnected: report(.warning, "the connection to the controller is lost: connecting again")
            case .handshakeFailed(.denied):
                logger.warning(
                    "the fleet does not admit this machine's key: it is unknown there, or was revoked")
            default: break
            }
        }
        if pausedUntil == nil { listen() }
    }

    /// Logs the state of the connection, which may change often behind a faulty network.
    private func report(_ level: Logger.Level, _ text: Logger.Message) {
        if connectionLines.spend(at: clock.now().monotonic) != nil { logger.log(level: level, text) }
    }

    private func listen() { sockets.devices.onReadable = { [self] in drain() } }

    private var devices: Socket { sockets.devices.socket }
    private var telemetry: Socket { sockets.telemetry.socket }

    /// Connects, and handles the node's work in each turn of the loop.
    func serve(watching parent: ParentWatch) throws {
        try connect()
        loop.onTurn { [self] instant in
            if parent.isOrphaned { leave() }
            let due = turn()
            let now = clock.now().monotonic
            meter.endTurn(at: now)
            if let counts = refused.report(at: now) {
                logger.warning("messages were refused", metadata: counts)
            }
            return due.map { instant.advanced(by: now.duration(to: $0)) }
        }
    }

    /// Says goodbye and ends the loop.
    func leave() {
        carryOut()
        // Effects that wait for disk space were not sent; they are lost with the process.
        if pausedUntil != nil { effects.removeAll() }
        step(.stopping)
        if failure == nil { send() }
        loop.stop()
    }

    private func turn() -> MonotonicTime? {
        guard isOwner() else { return nil }
        if let pausedUntil, clock.now().monotonic < pausedUntil { return pausedUntil }
        if pausedUntil == nil {
            if let changes = changes.take() { step(.changed(changes)) }
            step(.turn)
        }
        carryOut()
        guard failure == nil else { return nil }
        if let pausedUntil { return pausedUntil }
        do {
            return try memory?.tidy(node) == true ? clock.now().monotonic : node.nextDue
        } catch {
            stop(because: error)
            return nil
        }
    }

    /// Whether the run directory is still the one that this node has opened; if not, it stops.
    private func isOwner() -> Bool {
        guard ownerCheck.isDue(at: clock.now()) else { return failure == nil }
        do { try directory.confirm() } catch { stop(because: error) }
        return failure == nil
    }

    /// Closes the sockets; a context with open ones does not terminate.
    func close() { sockets.close() }

    /// Throws the error that ended the loop, unless it was asked to end.
    func checkEnd() throws {
        if let failure { throw failure }
    }

    private func drain() {
        do {
            for _ in 0..<Self.framesPerTurn {
                guard try devices.receive(into: &frames) else { return }
                guard frames.count == 1 else {
                    meter.countRefused()
                    refused.count(.frames, because: "expected one frame")
                    continue
                }
                handle(ReceivedFrame(frames.array(at: 0)))
            }
        } catch {
            stop(because: error)
        }
    }

    private func handle(_ frame: ReceivedFrame) {
        frame.forEach { place throws(WireError) in
            step(.controller(try ControllerMessage(wireBytes: frame.bytes, in: place)))
        } refuse: { error in
            meter.countRefused()
            refused.count(.controller, because: error.description)
        }
    }

    private func step(_ input: Node.Input) {
        let now = clock.now()
        meter.begin(input, at: now.monotonic)
        node.step(input, at: now, into: &effects)
    }

    /// Stores the memory of the effects, then sends answers, then publishes. After a failure it does not
    /// retry, because the state of the disk is unknown.
    private func carryOut() {
        guard failure == nil else { return }
        do {
            try memory?.owner?.confirm(at: clock.now(), isSending: !effects.isEmpty)
            guard try store() else { return }
            let orders = effects.compactMap { effect -> (OrderID, String, WallTime?)? in
                guard case .readScenario(let order, let name, let beganAt) = effect else { return nil }
                return (order, name, beganAt)
            }
            send()
            guard !orders.isEmpty, failure == nil else { return }
            for (order, name, beganAt) in orders {
                step(.scenario(order, ScenarioChoice.read(name, logger), beganAt: beganAt))
            }
            carryOut()
        } catch {
            stop(because: error)
        }
    }

    /// Stores the memory of the effects; pauses the node and returns false if the disk is full.
    private func store() throws -> Bool {
        // Effects that wait for disk space were already handed over.
        let isStored = try memory?.store(pausedUntil == nil ? effects : []) ?? true
        let now = clock.now().monotonic
        switch (pausedUntil, isStored) {
        case (nil, true): break
        case (nil, false):
            // Unread messages wait at the controller, or are sent again.
            sockets.devices.onReadable = nil
            pausedUntil = now.advanced(by: Self.pause)
            if pauseLines.spend(at: now) != nil {
                logger.warning("the disk is full: commands wait until the devices' memory can be written")
            }
        case (.some, false): pausedUntil = now.advanced(by: Self.pause)
        case (.some, true):
            pausedUntil = nil
            listen()
            logger.info("the disk has space again")
        }
        return isStored
    }

    /// Sends the answers first, then publishes.
    private func send() {
        defer { effects.removeAll(keepingCapacity: true) }
        meter.end(effects, at: clock.now().monotonic)
        var isCrashing = false
        var next: CellName?
        do {
            var rows: [DeviceRow] = []
            var measured: [[MeasuredDevice]] = []
            var messages = FrameWriter()
            for effect in effects {
                switch effect {
                case .send(let message):
                    // The controller requests again what cannot be sent now, or the next heartbeat
                    // repeats it.
                    if let full = messages.append(counted(message).wireBytes) { _ = try devices.send(full) }
                case .publish(let row): rows.append(row)
                case .measured(let devices): measured.append(devices)
                case .crash: isCrashing = true
                case .connect(let cell): next = cell
                case .refused(let run): refusals.report(run, to: logger)
                case .remember, .readScenario: break
                }
            }
            if let frame = messages.finish() { _ = try devices.send(frame) }
            try publish(rows)
            for devices in measured { try publish(devices) }
            if let next { try follow(next) }
        } catch {
            stop(because: error)
        }
        if isCrashing { crash() }
    }

    /// Connects to the cell that has the account now.
    private func follow(_ cell: CellName) throws {
        guard let (connection, grant) = cells?.place(of: cell) else {
            return report(.error, "the account is in cell \(cell), which this node cannot reach: see --cells")
        }
        logger.notice("the account is in cell \(cell) now: connecting there")
        sockets.close()
        sockets = try NodeSockets(of: connection, on: loop)
        if let grant { node.use(grant) }
        try connect()
    }

    /// Returns the message to send: some heartbeats carry the counters of the process.
    private func counted(_ message: NodeMessage) -> NodeMessage {
        guard case .ping = message.body else { return message }
        let counters = meter.report(memoryBytes: memory?.count ?? 0, timers: node.timerCount)
        return NodeMessage(bootID: message.bootID, lastNumber: message.lastNumber, body: .ping(counters))
    }

    private func publish(_ rows: [DeviceRow]) throws {
        for part in Telemetry.messages(of: rows, from: node.bootID) {
            _ = try telemetry.send(topic: Topic.telemetry, payload: part.wireBytes)
        }
    }

    private func publish(_ measured: [MeasuredDevice]) throws {
        for start in stride(from: 0, to: measured.count, by: Limits.chunkRows) {
            let part = measured[start..<min(start + Limits.chunkRows, measured.count)]
            let bytes = Telemetry(bootID: node.bootID, measured: Array(part)).wireBytes
            _ = try telemetry.send(topic: Topic.telemetry, payload: bytes)
        }
    }

    /// Ends the process as if it were killed, without a goodbye or a cleanup.
    private func crash() {
        logger.warning("crashing on request of the scenario or an operator")
        kill(getpid(), SIGKILL)
    }

    private func stop(because error: any Error) {
        logger.error("stopping", metadata: ["reason": "\(error)"])
        failure = failure ?? error
        loop.stop()
    }
}
