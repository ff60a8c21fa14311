import Bus
import DeviceCore
import FleetProtocol
import Logging
import Runtime
import Stepping

/// A node's sockets around its machine: drain, decode, step, send, publish; one thread, one direction.
///
/// What the machine wants remembered is remembered by the machine alone: a node that is killed comes back
/// with new incarnations.
final class NodeServer {
    /// What the log counts instead of repeating: messages of the controller that were refused.
    private enum Refused: String {
        case frames, controller
    }

    /// Messages taken in one turn.
    private static let messagesPerTurn = 1_024
    /// Rows in one telemetry message; it stays under ``Limits/messageBytes``.
    private static let rowsPerTelemetry = 100

    private var node: Node
    private let directory: RunDirectory
    private let loop: Loop
    private let clock: SystemClock
    private let logger: Logger
    private let devices: Socket
    private let telemetry: Socket
    private var frames = Frames()
    private var effects: [Node.Effect] = []
    private var refused = RefusedMessages<Refused>()
    /// What made the loop end, if that was not asked for.
    private var failure: (any Error)?

    init(node: Node, directory: RunDirectory, loop: Loop, clock: SystemClock, logger: Logger) throws {
        self.node = node
        self.directory = directory
        self.loop = loop
        self.clock = clock
        self.logger = logger
        var options = SocketOptions.defaults(for: .dealer)
        // Long enough for the last word, that the node leaves.
        options.linger = .milliseconds(500)
        (options.sendHighWaterMark, options.receiveHighWaterMark) = (100_000, 100_000)
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
            step(.turn)
            carryOut()
            let now = clock.now().monotonic
            if let counts = refused.report(at: now) {
                logger.warning("messages were refused", metadata: counts)
            }
            return node.nextDue.map { instant.advanced(by: now.duration(to: $0)) }
        }
    }

    /// Says goodbye and ends the loop.
    func leave() {
        step(.stopping)
        carryOut()
        loop.stop()
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
            refused.count(.controller, because: error.description)
        }
    }

    private func step(_ input: Node.Input) {
        node.step(input, at: clock.now(), into: &effects)
    }

    /// Answers first, publishes after.
    private func carryOut() {
        defer { effects.removeAll(keepingCapacity: true) }
        do {
            for case .send(let message) in effects {
                // What does not leave now is asked for again by the controller, or said again at the next
                // ping.
                _ = try devices.send(message.wireBytes)
            }
            let rows = effects.compactMap { if case .publish(let row) = $0 { row } else { nil } }
            for start in stride(from: 0, to: rows.count, by: Self.rowsPerTelemetry) {
                let part = rows[start..<min(start + Self.rowsPerTelemetry, rows.count)]
                let bytes = Telemetry(bootID: node.bootID, rows: Array(part)).wireBytes
                _ = try telemetry.send(topic: Topic.telemetry, payload: bytes)
            }
        } catch {
            stop(because: error)
        }
    }

    private func stop(because error: any Error) {
        logger.error("stopping", metadata: ["reason": "\(error)"])
        failure = failure ?? error
        loop.stop()
    }
}
