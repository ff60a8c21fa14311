import Bus
import DeviceCore
import FleetProtocol
import FleetTime
import Glibc
import Logging
import ProcessSupport
import ScenarioFiles

/// A node's sockets around its machine: drain, decode, step, keep, send, publish; one thread, one direction.
///
/// Where the disk has no room for what is to be remembered, nothing leaves and nothing is judged until it
/// has: the node is as good as frozen.
final class NodeServer {
    /// What the log counts instead of repeating: messages of the controller that were refused.
    private enum Refused: String {
        case frames, controller
    }

    /// Messages taken in one turn.
    private static let messagesPerTurn = 1_024
    /// The time between two attempts to write on a full disk.
    private static let pause = Duration.milliseconds(250)

    private var node: Node
    /// Where devices remember; nil: nowhere.
    private let memory: NodeMemoryFile?
    private let directory: RunDirectory
    private let loop: Loop
    private let clock: SystemClock
    private let logger: Logger
    private let devices: Socket
    private let telemetry: Socket
    private var frames = Frames()
    private var effects: [Node.Effect] = []
    private var refused = RefusedMessages<Refused>()
    private var meter = NodeMeter()
    /// When the disk is tried again; nil while it has room.
    private var pausedUntil: MonotonicTime?
    private var pauseLines = LineBudget(linesPerSecond: 1)
    /// What made the loop end, if that was not asked for.
    private var failure: (any Error)?

    init(
        node: consuming Node, memory: NodeMemoryFile?, directory: RunDirectory, loop: Loop,
        clock: SystemClock, logger: Logger
    ) throws {
        self.node = node
        self.memory = memory
        self.directory = directory
        self.loop = loop
        self.clock = clock
        self.logger = logger
        var options = SocketOptions.defaults(for: .dealer)
        // Long enough for the last word, that the node leaves.
        options.linger = .milliseconds(500)
        options.sendHighWaterMark = 100_000
        devices = try Socket(.dealer, context: loop.context, options: options)
        telemetry = try Socket(.pub, context: loop.context)
    }

    /// Connects, and puts everything on the loop.
    func serve(watching parent: ParentWatch) throws {
        let monitor = try devices.monitor()
        monitor.onEvent(on: loop) { [self] event, _ in
            if event == .handshakeSucceeded { step(.connected) }
        }
        try devices.connect(try directory.endpoint(.devices))
        try telemetry.connect(try directory.endpoint(.telemetry))
        loop.register(devices) { [self] in drain() }
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
        // What waits for room was told to nobody; it dies with the process.
        if pausedUntil != nil { effects.removeAll() }
        step(.stopping)
        if failure == nil { send() }
        loop.stop()
    }

    /// Does what is due, and says when more is.
    private func turn() -> MonotonicTime? {
        guard failure == nil else { return nil }
        if let pausedUntil, clock.now().monotonic < pausedUntil { return pausedUntil }
        if pausedUntil == nil { step(.turn) }
        carryOut()
        guard failure == nil else { return nil }
        if let pausedUntil { return pausedUntil }
        do {
            let hasMore = try memory?.tidy(node) ?? false
            return hasMore ? clock.now().monotonic : node.nextDue
        } catch {
            stop(because: error)
            return nil
        }
    }

    /// Closes the sockets once the loop has ended.
    ///
    /// - Throws: what made the loop end, if that was not asked for.
    func end() throws {
        devices.close()
        telemetry.close()
        if let failure { throw failure }
    }

    private func drain() {
        do {
            for _ in 0..<Self.messagesPerTurn {
                guard try devices.receive(into: &frames) else { return }
                guard frames.count == 1 else {
                    meter.noteRefused()
                    refused.count(.frames, because: "expected one frame")
                    continue
                }
                heard(frames.array(at: 0))
            }
        } catch {
            stop(because: error)
        }
    }

    private func heard(_ bytes: [UInt8]) {
        do throws(WireError) {
            step(.controller(try ControllerMessage(wireBytes: bytes)))
        } catch {
            meter.noteRefused()
            refused.count(.controller, because: error.description)
        }
    }

    private func step(_ input: Node.Input) {
        let now = clock.now()
        meter.begin(input, at: now.monotonic)
        node.step(input, at: now, into: &effects)
    }

    /// Keeps what must be kept, then answers, then publishes.
    ///
    /// After a failure nothing is tried again: nobody knows then what the disk has.
    private func carryOut() {
        guard failure == nil else { return }
        do {
            guard try keep() else { return }
            let orders = effects.compactMap { effect -> (OrderID, String)? in
                if case .readScenario(let order, let name) = effect { (order, name) } else { nil }
            }
            send()
            guard !orders.isEmpty, failure == nil else { return }
            for (order, name) in orders { step(.scenario(order, scenario(name))) }
            carryOut()
        } catch {
            stop(because: error)
        }
    }

    /// The scenario of a name or a file; nil when it cannot be read, and the log says why.
    private func scenario(_ name: String) -> Scenario? {
        do {
            let scenario = try ScenarioChoice(name).scenario
            logger.info("going on", metadata: ["scenario": "\(scenario.name)"])
            return scenario
        } catch {
            logger.error("a scenario cannot be read", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// Whether all is kept that the effects depend on; where the disk has no room, the node pauses.
    private func keep() throws -> Bool {
        // Effects that wait for room were handed over before.
        let isKept = try memory?.keep(pausedUntil == nil ? effects : []) ?? true
        let now = clock.now().monotonic
        switch (pausedUntil, isKept) {
        case (nil, true): break
        case (nil, false):
            // What is not read waits at the controller, or is sent again.
            loop.unregister(devices)
            pausedUntil = now.advanced(by: Self.pause)
            if pauseLines.spend(at: now) != nil {
                logger.warning("the disk is full: nothing is judged until the devices can remember it")
            }
        case (.some, false): pausedUntil = now.advanced(by: Self.pause)
        case (.some, true):
            pausedUntil = nil
            loop.register(devices) { [self] in drain() }
            logger.info("the disk has room again")
        }
        return isKept
    }

    /// Answers first, publishes after.
    private func send() {
        defer { effects.removeAll(keepingCapacity: true) }
        meter.end(effects, at: clock.now().monotonic)
        var isCrashing = false
        do {
            var rows: [DeviceRow] = []
            var measured: [[MeasuredDevice]] = []
            for effect in effects {
                switch effect {
                case .send(let message):
                    // What does not leave now is asked for again by the controller, or said again at the
                    // next ping.
                    _ = try devices.send(counted(message).wireBytes)
                case .publish(let row): rows.append(row)
                case .measured(let devices): measured.append(devices)
                case .crash: isCrashing = true
                case .remember, .readScenario: break
                }
            }
            try publish(rows)
            for devices in measured { try publish(devices) }
        } catch {
            stop(because: error)
        }
        if isCrashing { crash() }
    }

    /// The message as it leaves: some signs of life tell what the process has counted.
    private func counted(_ message: NodeMessage) -> NodeMessage {
        guard case .ping = message.body else { return message }
        let counters = meter.tell(memoryBytes: memory?.count ?? 0, timers: node.timerCount)
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

    /// Dies as one that is killed: nothing is said, and nothing is put in order.
    private func crash() {
        logger.warning("crashing, as the scenario or an operator wants it")
        kill(getpid(), SIGKILL)
    }

    private func stop(because error: any Error) {
        logger.error("stopping", metadata: ["reason": "\(error)"])
        failure = failure ?? error
        loop.stop()
    }
}
